// Number of an invocation in a dispatch of rows by columns of workgroups:
// one dimension ends at 65 535 workgroups, which is too few for a layer.
fn index_linear(group: vec3<u32>, groups: vec3<u32>, size: u32, lane: u32) -> u32 {
  return (group.y * groups.x + group.x) * size + lane;
}
