#include "binding/file_mapping.hpp"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#endif

#include "core/error.hpp"

namespace safetokens {
namespace {
constexpr char kFileMapping[] = "FILE_MAPPING";
}

#ifdef _WIN32
std::shared_ptr<const FileMapping> FileMapping::open(const std::string&) {
  throw Error(kFileMapping, "files are mapped on POSIX systems only");
}

FileMapping::~FileMapping() = default;
#else
namespace {
[[noreturn]] void fail(const char* what) {
  throw Error(kFileMapping, std::string(what) + ": " + std::strerror(errno));
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail("it cannot be opened");
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(descriptor_); }

  [[nodiscard]] int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};
}  // namespace

std::shared_ptr<const FileMapping> FileMapping::open(const std::string& path) {
  const Descriptor file(path);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail("its size cannot be read");
  if (!S_ISREG(status.st_mode)) throw Error(kFileMapping, "only files can be mapped");
  if (status.st_size == 0) throw Error(kFileMapping, "it is empty");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED) fail("it cannot be mapped");
  return std::shared_ptr<const FileMapping>(new FileMapping({static_cast<const std::byte*>(start), size}));
}

FileMapping::~FileMapping() { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }
#endif
}  // namespace safetokens
