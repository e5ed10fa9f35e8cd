/** The style of the report's page: one column on a phone, several on a wide screen, light and dark. */
export const STYLE = `
:root { color-scheme: light dark; --ground: #fbfaf7; --card: #fff; --ink: #1d2420; --soft: #5c665f; --edge: #dfe3dc;
  --one: #8a5a00; --all: #1f6feb; --gpu: #1a7f4b; --kernel: #b0338a; --warn: #9a3412; }
@media (prefers-color-scheme: dark) { :root { --ground: #121613; --card: #1a201c; --ink: #e6ebe7; --soft: #9aa69e;
  --edge: #2d362f; --one: #e0a83c; --all: #6ea8ff; --gpu: #4cc38a; --kernel: #ec7fc9; --warn: #fb923c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1320px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 16px; }
h2 { font-size: 1.25rem; margin: 40px 0 8px; }
h3 { font-size: 1.05rem; margin: 0 0 8px; font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
p { margin: 0 0 12px; max-width: 75ch; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
ul { margin: 8px 0; padding-left: 18px; color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; }
.software { color: var(--warn); font-weight: 600; }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 10px; padding: 16px; min-width: 0; }
.grid-of-cards { display: grid; gap: 16px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr));
  align-items: start; }
.card:has(details[open]) { grid-column: 1 / -1; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 14px 4px 0; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--edge); }
th { color: var(--soft); font-weight: 500; } .word { text-align: left; }
.wide .word { white-space: normal; min-width: 14ch; }
svg { display: block; width: 100%; max-width: 560px; height: auto; }
svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
.grid line { stroke: var(--edge); } .line polyline { fill: none; stroke-width: 2; }
.cpu-1 { --c: var(--one); } .cpu-all { --c: var(--all); } .gpu { --c: var(--gpu); } .kernel { --c: var(--kernel); }
.line polyline { stroke: var(--c); } .line circle { fill: var(--c); }
.kernel polyline, .key.kernel { stroke-dasharray: 5 4; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 12px; padding: 0; list-style: none; font-size: .9rem; color: var(--ink); }
.legend li { display: flex; align-items: center; gap: 8px; }
.legend i { width: 22px; border-top: 3px solid var(--c); } .legend .kernel i { border-top-style: dashed; }
summary { cursor: pointer; margin-top: 8px; padding: 6px 0; } summary:focus-visible { outline: 2px solid var(--all); }
`;
