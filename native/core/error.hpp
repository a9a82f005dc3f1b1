#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace safetokens {
/// What the core throws for bad input. `code` is stable and reaches JavaScript as `error.code`.
class Error : public std::runtime_error {
 public:
  Error(const char* code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] const char* code() const noexcept { return code_; }

 private:
  const char* code_;
};

/// Codes of `Error`.
inline constexpr char kInvalidModel[] = "INVALID_MODEL";       // the model breaks a rule of its format
inline constexpr char kMergesNeeded[] = "MERGES_NEEDED";       // merges that were left out must be given
inline constexpr char kInvalidParts[] = "INVALID_PARTS";       // a part that the model cannot place
inline constexpr char kInvalidTokenId[] = "INVALID_TOKEN_ID";  // an id outside the vocabulary
inline constexpr char kTextTooLong[] = "TEXT_TOO_LONG";        // more than 4 GiB after normalization
inline constexpr char kCertificate[] = "CERTIFICATE";          // a reserved id could be emitted: our bug
}  // namespace safetokens
