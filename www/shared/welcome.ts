/** The words of an empty conversation. */
export const welcome = {
  title: "What shall we stream?",
  text: "Each of these is a scripted agent. Pick one, write something, choose another protocol, or give the address of an agent of your own.",
};
