// What `kernel/sums` asks of Pedersen.
// #import lib/pedersen-windows

alias sum_State = gr_Sum;
alias sum_Words = Digest;

// As many times the point of the length as there are elements.
fn sum_start(elements: u32) -> sum_State {
  return gr_from_point(pd_table.points[elements - 1u]);
}

// Additions that an element takes.
fn sum_steps() -> u32 {
  return pd_table.windows + 1u;
}

fn sum_words(element: Digest) -> sum_Words {
  return pd_words(element);
}

fn sum_add(sum: sum_State, words: sum_Words, position: u32, step: u32) -> sum_State {
  return pd_plus(sum, pd_addend(words, position, step));
}

fn sum_next(words: sum_Words) -> sum_Words {
  return pd_shift(words, pd_table.bits);
}

fn sum_finish(sum: sum_State) -> Digest {
  return fr_to_digest(gr_x(sum));
}
