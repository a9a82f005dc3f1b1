// Any model, whole or broken: it is refused with a typed error, or it compiles, is certified and keeps I1.
// The certificate itself never fails: that would be a bug of the compiler.
#include <limits>
#include <set>

#include "fuzz/fuzz.hpp"
#include "test/test_charsmap.hpp"

namespace safetokens::fuzz {
namespace {
/// Few characters, so that pieces are made of each other.
constexpr std::array<std::string_view, 16> kCharacters = {"a",
                                                          "b",
                                                          "c",
                                                          "<",
                                                          "|",
                                                          ">",
                                                          "s",
                                                          "/",
                                                          " ",
                                                          "\n",
                                                          "\t",
                                                          "\xE2\x96\x81",
                                                          "\xC3\xA9",
                                                          "\xE4\xBD\xA0",
                                                          "\xEF\xBF\xBD",
                                                          "\xF0\x9F\x98\x80"};

class Model {
 public:
  explicit Model(FuzzedDataProvider& in) : in_(in) {
    // A model with a defect in its pieces is refused early, so most get none.
    sound_ = in_.ConsumeIntegralInRange(0, 7) != 0;
    const Flags flags(in_.ConsumeIntegralInRange<std::uint32_t>(0, Flags::kCount - 1));
    flags.apply(spec_);
    if (sound_ || in_.ConsumeBool()) add("<unk>", PieceType::kUnknown, 0);
    if (sound_ ? spec_.byte_fallback : in_.ConsumeBool()) add_bytes();
    for (auto n = in_.ConsumeIntegralInRange<std::size_t>(0, 60); n > 0; --n) add_any();
    for (auto n = in_.ConsumeIntegralInRange<std::size_t>(0, 4); n > 0; --n) {
      spec_.commands.push_back(any_text());
      if (sound_ && spec_.commands.back().empty()) spec_.commands.back() = "<|c|>";
    }
    reserve_some();
    name_controls();
    spec_.unk_surface = in_.ConsumeRandomLengthString(8);
    make_charsmap();
    if (!sound_) break_lengths();
    spec_.piece_bytes = bytes_;
    spec_.offsets = offsets_;
    spec_.scores = scores_;
    spec_.types = types_;
    spec_.reserved = reserved_;
    spec_.charsmap = charsmap_;
  }

  [[nodiscard]] const SentencePieceSpec& spec() const { return spec_; }
  /// All pieces and names in a row, but for the byte pieces: text that is rich in them.
  [[nodiscard]] std::string all_text() const {
    std::string text = text_;
    for (const std::string& command : spec_.commands) text += command;
    for (const ControlName& control : spec_.control_names) text += control.name;
    return text;
  }

 private:
  void add(std::string_view text, PieceType type, float score) {
    if (sound_ && !seen_.emplace(text).second) return;
    bytes_ += text;
    if (type != PieceType::kByte) text_ += text;
    offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    types_.push_back(static_cast<std::uint8_t>(type));
    scores_.push_back(score);
  }

  void add_bytes() {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    for (std::size_t byte = 0; byte < 256; ++byte) {
      add(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">", PieceType::kByte, 0);
    }
  }

  void add_any() {
    std::string text = any_text();
    PieceType type = in_.PickValueInArray({PieceType::kNormal, PieceType::kNormal, PieceType::kNormal,
                                           PieceType::kUnused, PieceType::kUserDefined, PieceType::kControl});
    if (sound_) {
      if (text.empty()) return;
    } else if (in_.ConsumeIntegralInRange(0, 7) == 0) {
      type = static_cast<PieceType>(in_.ConsumeIntegral<std::uint8_t>());
      if (in_.ConsumeBool()) text = in_.ConsumeRandomLengthString(8);
    }
    add(text, type, any_score());
  }

  /// Made of few characters, or of two pieces that are there already, so that merges nest.
  std::string any_text() {
    if (offsets_.size() > 2 && in_.ConsumeBool()) return std::string(any_piece()) + std::string(any_piece());
    std::string text;
    for (auto n = in_.ConsumeIntegralInRange<std::size_t>(0, 4); n > 0; --n) {
      text += in_.PickValueInArray(kCharacters);
    }
    return text;
  }

  std::string_view any_piece() {
    const auto id = in_.ConsumeIntegralInRange<std::size_t>(0, offsets_.size() - 2);
    return std::string_view(bytes_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }

  float any_score() {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    switch (in_.ConsumeIntegralInRange(0, 7)) {
      case 0:
        return in_.PickValueInArray({0.0f, -0.0f, kInfinity, -kInfinity, 1e38f, 1e-45f});
      case 1:
        return in_.ConsumeFloatingPoint<float>();
      case 2:
        if (!sound_) return std::numeric_limits<float>::quiet_NaN();
        [[fallthrough]];
      default:
        return -static_cast<float>(in_.ConsumeIntegralInRange(0, 7));  // with many ties
    }
  }

  /// Bytes and, without byte fallback, unk may not be reserved.
  [[nodiscard]] bool may_be_reserved(std::uint32_t id) const {
    return types_[id] != static_cast<std::uint8_t>(PieceType::kByte) && (id != 0 || spec_.byte_fallback);
  }

  void reserve_some() {
    const auto pieces = static_cast<std::uint32_t>(types_.size());
    for (auto n = in_.ConsumeIntegralInRange<std::size_t>(0, 12); n > 0; --n) {
      const auto id = in_.ConsumeIntegralInRange<std::uint32_t>(0, pieces + 1);
      if (!sound_ || (id < pieces && may_be_reserved(id))) reserved_.push_back(id);
    }
  }

  void name_controls() {
    const auto pieces = static_cast<std::uint32_t>(types_.size());
    const auto commands = static_cast<std::uint32_t>(spec_.commands.size());
    for (auto n = in_.ConsumeIntegralInRange<std::size_t>(0, 6); n > 0; --n) {
      std::uint32_t id = in_.ConsumeIntegralInRange<std::uint32_t>(0, pieces + commands);
      if (sound_) {
        if (reserved_.empty() && commands == 0) return;
        id = !reserved_.empty() && in_.ConsumeBool() ? reserved_[id % reserved_.size()]
             : commands > 0                          ? pieces + id % commands
                                                     : reserved_[0];
      }
      spec_.control_names.push_back({any_text(), id, in_.ConsumeBool()});
    }
  }

  void make_charsmap() {
    std::vector<TestCharsmap::Rule> rules;
    for (auto n = in_.ConsumeIntegralInRange<std::size_t>(0, 4); n > 0; --n) {
      rules.push_back({any_text(), any_text()});
      if (rules.back().key.empty()) rules.pop_back();
    }
    if (rules.empty()) return;
    charsmap_ = TestCharsmap(rules).blob();
    for (auto n = sound_ ? 0 : in_.ConsumeIntegralInRange(0, 8); n > 0; --n) {
      const auto at = in_.ConsumeIntegralInRange<std::size_t>(0, charsmap_.size() - 1);
      charsmap_[at] = static_cast<char>(in_.ConsumeIntegral<std::uint8_t>());
    }
  }

  void break_lengths() {
    for (auto n = in_.ConsumeIntegralInRange(0, 3); n > 0; --n) {
      const auto some = in_.ConsumeIntegralInRange<std::size_t>(0, offsets_.size() + 2);
      switch (in_.ConsumeIntegralInRange(0, 4)) {
        case 0:
          if (some < offsets_.size()) offsets_[some] = in_.ConsumeIntegral<std::uint32_t>();
          break;
        case 1:
          offsets_.resize(some);
          break;
        case 2:
          scores_.resize(some);
          break;
        case 3:
          types_.resize(some, 1);
          break;
        default:
          bytes_.resize(std::min(bytes_.size() + 4, some * 3));
      }
    }
  }

  FuzzedDataProvider& in_;
  bool sound_ = true;
  SentencePieceSpec spec_;
  std::set<std::string, std::less<>> seen_;
  std::string bytes_, text_, charsmap_;
  std::vector<std::uint32_t> offsets_{0};
  std::vector<float> scores_;
  std::vector<std::uint8_t> types_;
  std::vector<std::uint32_t> reserved_;
};

std::shared_ptr<const Tokenizer> compile(const SentencePieceSpec& spec) {
  try {
    return Tokenizer::compile(spec);
  } catch (const Error& error) {
    check(error.code() != std::string_view(kCertificate), "the certificate never fails");
    return nullptr;
  }
}

void run(FuzzedDataProvider in) {
  const Model model(in);
  const auto tokenizer = compile(model.spec());
  if (!tokenizer) return;
  const std::string all_text = model.all_text();
  decode_all_ways(*tokenizer, encode_data(*tokenizer, all_text));
  decode_all_ways(*tokenizer, encode_data(*tokenizer, all_text + all_text));
  std::string text;
  for (auto n = in.ConsumeIntegralInRange<std::size_t>(0, 100); n > 0; --n) {
    text += in.PickValueInArray(kCharacters);
  }
  text += in.ConsumeRemainingBytesAsString();
  decode_all_ways(*tokenizer, encode_data(*tokenizer, text));
  decode_all_ways(*tokenizer, encode(*tokenizer, {{PartKind::kTrusted, 0, all_text}}));
}
}  // namespace
}  // namespace safetokens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  safetokens::fuzz::run(FuzzedDataProvider(data, size));
  return 0;
}
