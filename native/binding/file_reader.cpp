#include "binding/file_reader.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "binding/addon_data.hpp"
#include "binding/fingerprint_calls.hpp"
#include "binding/read_input.hpp"

namespace safetokens {
namespace {
std::filesystem::path path_of(const std::string& utf8) { return std::u8string(utf8.begin(), utf8.end()); }

/// Without a buffer: it is read into its place.
void open_file(std::ifstream& file, const std::filesystem::path& path) {
  file.rdbuf()->pubsetbuf(nullptr, 0);
  file.open(path, std::ios::binary);
}
}  // namespace

Napi::Value file_head(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::string utf8 = read_utf8(info[0], "path", addon_data(env));
  if (utf8.find('\0') != std::string::npos) return env.Undefined();
  const std::filesystem::path path = path_of(utf8);
  std::error_code error;
  // What is no plain file may make those who open it wait.
  if (!std::filesystem::is_regular_file(path, error)) return env.Undefined();
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  const std::size_t count = info[1].ToNumber().Uint32Value();
  if (error || size < count) return env.Undefined();
  std::ifstream file;
  open_file(file, path);
  auto head = Napi::Uint8Array::New(env, count);
  file.read(reinterpret_cast<char*>(head.Data()), static_cast<std::streamsize>(count));
  if (!file) return env.Undefined();
  auto result = Napi::Object::New(env);
  result.Set("size", static_cast<double>(size));
  result.Set("head", head);
  return result;
}

FileReader::FileReader(Napi::Env env, std::string path, HeldBytes memory, std::size_t from)
    : PromiseWorker(env), path_(std::move(path)), memory_(std::move(memory)), from_(from) {}

void FileReader::Execute() {
  std::ifstream file;
  open_file(file, path_of(path_));
  // Memory of this class's own: see MemoryWrap.
  const auto read = [&](std::string_view part) {
    file.read(const_cast<char*>(part.data()), static_cast<std::streamsize>(part.size()));
    if (!file) throw std::runtime_error("it cannot be read, or has become shorter");
  };
  const std::string_view all(reinterpret_cast<const char*>(memory_.bytes.data()), memory_.bytes.size());
  read(all.substr(0, from_));
  sums_ = both_sums(all.substr(from_), read);
}

void FileReader::OnOK() { deferred_.Resolve(to_js_sums(Env(), sums_)); }
}  // namespace safetokens
