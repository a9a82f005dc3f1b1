#pragma once
#include <atomic>
#include <mutex>

namespace safetokens {
/// Something that the first to need it makes, while others who need it wait. As `std::call_once`, which costs
/// some calls each time, where this is one load.
class Once {
 public:
  /// Calls `make`, unless it has been called and did not throw.
  template <typename Make>
  void call(const Make& make) {
    if (made_.load(std::memory_order_acquire)) return;
    const std::scoped_lock lock(mutex_);
    if (made_.load(std::memory_order_relaxed)) return;
    make();
    made_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> made_{false};
  std::mutex mutex_;
};
}  // namespace safetokens
