#pragma once
#include <future>
#include <system_error>
#include <utility>

namespace safetokens {
/// Calls both, on two threads where the system gives one more, else one after the other. What either throws
/// is thrown when both are at their end.
template <typename First, typename Second>
void in_parallel(First&& first, Second&& second) {
  std::future<void> other;
  try {
    other = std::async(std::launch::async, [&second] { second(); });
  } catch (const std::system_error&) {  // there are too many threads
    second();
    first();
    return;
  }
  first();  // should it throw, `other` waits where it is destroyed
  other.get();
}
}  // namespace safetokens
