#include "core/encode_scratch.hpp"

#include "core/trim.hpp"

namespace safetokens {
void EncodeScratch::trim() {
  trim_buffer(unit.text);
  trim_buffer(unit.packed);
  trim_buffer(unit.marks);
  trim_buffer(bpe.nodes);
  trim_buffer(bpe.merge.previous);
  trim_buffer(bpe.merge.next);
  trim_buffer(bpe.merge.heap);
  bpe.symbols.trim();
  lattice.trim();
  bytes.trim();
  trim_buffer(joined);
  trim_buffer(spelled);
  trim_buffer(ends);
  trim_buffer(unit.origins);
  trim_buffer(pipeline.packed);
  trim_buffer(pipeline.prefixed);
  trim_buffer(pipeline.runs);
  trim_buffer(pipeline.marks);
  trim_buffer(pipeline.normalized_marks);
  pipeline.normalized.trim();
  pipeline.words.trim();
}
}  // namespace safetokens
