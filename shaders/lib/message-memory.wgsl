// Memory of a message, beside the state that its invocation holds: what one dispatch leaves for the next, and whatever
// else the hash keeps. `msg_Memory` is the hash's; its first member is the state.
@group(0) @binding(4) var<storage, read_write> msg_memory: array<msg_Memory>;
