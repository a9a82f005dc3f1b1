#include "core/model_cache.hpp"

#include <algorithm>

namespace safetokens {
/// Also true while a thread compiles the model, which may take long.
bool ModelCache::Entry::in_use() {
  const std::unique_lock lock(mutex, std::try_to_lock);
  return !lock.owns_lock() || !model.expired();
}

ModelCache& ModelCache::process() {
  static ModelCache* const cache = std::make_unique<ModelCache>().release();
  return *cache;
}

std::shared_ptr<const Tokenizer> ModelCache::get(
    const std::string& key, const std::function<std::shared_ptr<const Tokenizer>()>& compile) {
  std::shared_ptr<Entry> entry;
  {
    const std::scoped_lock lock(mutex_);
    // Entries that nobody holds and whose model is gone make room.
    std::erase_if(entries_,
                  [](const auto& item) { return item.second.use_count() == 1 && !item.second->in_use(); });
    std::shared_ptr<Entry>& slot = entries_[key];
    if (!slot) slot = std::make_shared<Entry>();
    entry = slot;
  }
  const std::scoped_lock lock(entry->mutex);
  std::shared_ptr<const Tokenizer> model = entry->model.lock();
  if (!model) {
    model = compile();
    entry->model = model;
  }
  return model;
}

std::size_t ModelCache::live() {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const auto& item) { return item.second->in_use(); }));
}
}  // namespace safetokens
