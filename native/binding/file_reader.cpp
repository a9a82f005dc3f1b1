#include "binding/file_reader.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "binding/fingerprint_calls.hpp"

namespace safetokens {
FileReader::FileReader(Napi::Env env, std::string path, HeldBytes memory, std::size_t from)
    : Napi::AsyncWorker(env),
      deferred_(Napi::Promise::Deferred::New(env)),
      path_(std::move(path)),
      memory_(std::move(memory)),
      from_(from) {}

void FileReader::Execute() {
  std::ifstream file;
  file.rdbuf()->pubsetbuf(nullptr, 0);  // it is read into its place
  file.open(std::filesystem::path(std::u8string(path_.begin(), path_.end())), std::ios::binary);
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

void FileReader::OnError(const Napi::Error& error) { deferred_.Reject(error.Value()); }
}  // namespace safetokens
