// Imported first by every command, so that an old Node is told apart from a broken script.

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const supported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 23;
if (!supported) {
  console.error(`Node ${process.versions.node} is too old: 20.19, 22.12 or newer is needed. See https://nodejs.org/download`);
  process.exit(1);
}
