/**
 * What is meant is told twice: by colour, with colours that colour-blind people can tell apart, and by shape. Control
 * tokens are filled and bold with a diamond, forged ones hatched with a warning sign, places have lines of their own.
 */
export const INSPECTION_STYLE = `
:root { --k0: #cfe8ff; --k1: #ffe3b8; --k2: #cdf2e0; --k3: #ffd6e8; --k4: #e6dcff; --k5: #f6f2b5; --mark: #0b0b0d; --markink: #fff }
@media (prefers-color-scheme: dark) { :root { --k0: #163a5c; --k1: #56390a; --k2: #0f4631; --k3: #5a2340; --k4: #3d2f66; --k5: #4a4610;
  --mark: #f5f6f8; --markink: #0b0b0d } }
h3 { font-size: 1rem; margin: .5rem 0 }
.s { margin-top: 1.5rem; border-top: 1px solid var(--line) }
.cols { display: flex; flex-wrap: wrap; gap: 1.5rem } .col { flex: 1 1 24rem; min-width: 0 }
.k { content-visibility: auto; line-height: 2; padding: .25rem; font-family: ui-monospace, "DejaVu Sans Mono", Consolas, "Noto Sans Mono CJK SC",
  "Noto Sans CJK SC", "WenQuanYi Micro Hei", "Noto Color Emoji", monospace; font-size: .9rem; overflow-wrap: anywhere }
i, b { display: inline-block; max-width: 100%; line-height: 1.5; vertical-align: middle; font-style: normal; white-space: pre-wrap; padding: .1em .15em; margin: 0 1px; border-radius: 3px; border: 1px solid var(--line) }
.t i { background: var(--soft); border-style: dotted; border-color: var(--dim) }
b { background: var(--mark); color: var(--markink); border: 2px solid var(--mark); font-weight: 700 } b::before { content: "◆ " }
b.f { color: var(--bad); background: repeating-linear-gradient(45deg, var(--paper) 0 6px, var(--soft) 6px 12px); border: 3px double var(--bad) }
b.f::before { content: "⚠ " }
.c0 i { background: var(--k0); border-bottom: 3px solid var(--ink) } .c1 i { background: var(--k1); border-bottom: 3px dashed var(--ink) }
.c2 i { background: var(--k2); border-bottom: 3px dotted var(--ink) } .c3 i { background: var(--k3); border-bottom: 3px double var(--ink) }
.c4 i { background: var(--k4); border-top: 3px solid var(--ink) } .c5 i { background: var(--k5); border-top: 3px dashed var(--ink) }
.now { outline: 3px solid var(--accent); outline-offset: 1px }
.legend { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; list-style: none; padding: 0 }
#about { position: sticky; top: 0; z-index: 1; padding: .5rem .75rem; background: var(--soft); border: 1px solid var(--line); overflow-wrap: anywhere }
`

/** Picks tokens by click and by keys, and tells about the picked one. */
export const INSPECTION_SCRIPT = `
const about = document.getElementById('about');
let now;
const tokensOf = (block) => [...block.querySelectorAll('i, b')];
function pick(token) {
  if (!token) return;
  if (now) now.classList.remove('now');
  now = token;
  token.classList.add('now');
  token.scrollIntoView({ block: 'nearest' });
  const ids = token.dataset.i.split(' ');
  const where = token.title || (token.parentElement && token.parentElement.title) || '';
  about.textContent = (ids.length > 1 ? ids.length + ' tokens with the ids ' : 'Token with the id ') + ids.join(', ') +
    ': ' + token.textContent + (where ? ' (' + where + ')' : '');
}
document.addEventListener('click', (event) => pick(event.target.closest('i[data-i], b[data-i]')));
document.addEventListener('keydown', (event) => {
  const block = document.activeElement && document.activeElement.closest('.k');
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  if (!block || step === undefined) return;
  event.preventDefault();
  const tokens = tokensOf(block);
  const at = tokens.indexOf(now);
  const next = at < 0 ? (step < 0 ? tokens.length - 1 : 0) : at + step;
  pick(tokens[Math.min(Math.max(next, 0), tokens.length - 1)]);
});
`
