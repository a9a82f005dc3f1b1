#pragma once
#include <napi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/tokenizer.hpp"

namespace safetokens {
/// Parts as they came from JavaScript, transcoded. The parts' views point into `text`, so it stays where it
/// is.
struct PartsInput {
  PartsInput() = default;
  PartsInput(const PartsInput&) = delete;
  PartsInput& operator=(const PartsInput&) = delete;

  std::string text;
  std::vector<Part> parts;
};

/// State of one JavaScript environment, so that the addon loads in every worker thread. An environment runs
/// on one thread, so its scratch memory needs no lock.
struct AddonData {
  static constexpr std::size_t kFewIds = 1024;

  EncodeScratch encode;
  PartsInput input;
  std::u16string units;
  std::string text;
  std::vector<std::uint32_t> ids;
  TokenOffsets offsets;
  Napi::FunctionReference decode_stream;  // its constructor, which JavaScript does not see
  Napi::FunctionReference slice;          // of strings
  Napi::Reference<Napi::Uint32Array> few_ids_array;
  std::span<std::uint32_t> few_ids;  // its memory: `fewIds` of binding.d.cts

  /// Gives back what a huge text needed: it is not kept for all the small ones that follow.
  void trim();
};

inline AddonData& addon_data(Napi::Env env) { return *env.GetInstanceData<AddonData>(); }
}  // namespace safetokens
