#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/pipeline_spec.hpp"

namespace safetokens {
/// A small pipeline written out in a test: a vocabulary and a model, without any steps.
class TestPipeline {
 public:
  TestPipeline(std::initializer_list<std::string> tokens, ModelSpec model) {
    for (const std::string& token : tokens) {
      bytes_ += token;
      offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
      kinds_.push_back(static_cast<std::uint8_t>(TokenKind::kModel));
    }
    spec.model = std::move(model);
    spec.decoder = DecoderKind::kSpaces;
  }

  /// The spec with its views set; valid as long as this object is.
  const PipelineSpec& get() {
    spec.token_bytes = bytes_;
    spec.offsets = offsets_;
    spec.kinds = kinds_;
    spec.reserved = reserved;
    return spec;
  }

  PipelineSpec spec;
  std::vector<std::uint32_t> reserved;

 private:
  std::string bytes_;
  std::vector<std::uint32_t> offsets_{0};
  std::vector<std::uint8_t> kinds_;
};
}  // namespace safetokens
