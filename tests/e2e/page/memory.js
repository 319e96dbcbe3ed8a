// Notes the memory of the module: before the page's agents are made, which load it at once.
{
  const { Memory, instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...given) => {
    const made = await instantiate.apply(WebAssembly, given);
    window.moduleMemory = Object.values((made.instance ?? made).exports).find((value) => value instanceof Memory);
    return made;
  };
}
