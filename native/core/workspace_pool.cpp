#include "core/workspace_pool.hpp"

namespace safetokens {
WorkspacePool::Loan::Loan(WorkspacePool& pool) : pool_(pool) {
  {
    const std::scoped_lock lock(pool.mutex_);
    if (!pool.idle_.empty()) {
      workspace_ = std::move(pool.idle_.back());
      pool.idle_.pop_back();
    }
  }
  if (!workspace_) workspace_ = std::make_unique<Workspace>();
  workspace_->caches.attach(workspace_->scratch);
}

WorkspacePool::Loan::~Loan() {
  workspace_->scratch.trim();
  const std::scoped_lock lock(pool_.mutex_);
  if (pool_.idle_.size() < kMostIdle) pool_.idle_.push_back(std::move(workspace_));
}
}  // namespace safetokens
