#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/tokenizer.hpp"

namespace safetokens {
/// The compiled models that are in use, so that however many threads load a model, the process holds it once.
/// A model is freed when its last user lets go; the cache alone keeps none alive.
class ModelCache {
 public:
  /// The one of the process: all threads that load the addon share it. It is the only mutable state of the
  /// core that is not passed in, and never destroyed: threads may still be at work when the process exits.
  static ModelCache& process();

  /// The model of `key`, compiled by the first caller; callers with the same key wait for it, others do not.
  /// `key` must tell apart all that compiling depends on. What `compile` throws is thrown, and the next
  /// caller tries again.
  std::shared_ptr<const Tokenizer> get(const std::string& key,
                                       const std::function<std::shared_ptr<const Tokenizer>()>& compile);

  /// How many models are alive or being compiled.
  [[nodiscard]] std::size_t live();

 private:
  struct Entry {
    std::mutex mutex;  // held while the model is compiled
    std::weak_ptr<const Tokenizer> model;

    bool in_use();
  };

  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
};
}  // namespace safetokens
