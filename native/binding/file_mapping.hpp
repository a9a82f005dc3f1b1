#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace safetokens {
/// A file in memory without being read: processes that map it share what is in it. Only on POSIX systems. If
/// the file is cut off while it is mapped, whoever reads behind its end is ended by the system (SIGBUS), and
/// what is written to it appears in memory: it is for files that are never changed in place.
class FileMapping {
 public:
  /// `path` in UTF-8. Throws `Error("FILE_MAPPING")` where the file cannot be mapped.
  static std::shared_ptr<const FileMapping> open(const std::string& path);

  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  explicit FileMapping(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};
}  // namespace safetokens
