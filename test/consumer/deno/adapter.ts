/** Prints what Deno's adapter says of itself. */
const adapter = await navigator.gpu?.requestAdapter();
console.log(
  JSON.stringify(adapter && { vendor: adapter.info.vendor, description: adapter.info.description }),
);
