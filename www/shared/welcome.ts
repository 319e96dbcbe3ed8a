/** The words of an empty conversation. */
export const welcome = {
  title: "What shall we stream?",
  text: "Each of these is a scripted agent that speaks AG-UI. Pick one, write something, or give the address of an agent of your own.",
};
