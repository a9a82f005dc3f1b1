#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "core/encode_scratch.hpp"

namespace safetokens {
/// What is remembered of the texts that one model has encoded. For one thread at a time.
struct EncodeCaches {
  WordCache words;
  PieceCache pieces;
  TextCache texts, parts;
  StretchMemo memo{0};

  /// Lets an encoding use them.
  void attach(EncodeScratch& scratch) {
    scratch.cache = &words;
    scratch.pieces = &pieces;
    scratch.bpe.cache = scratch.texts = &texts;
    scratch.parts = &parts;
    scratch.memo = &memo;
  }
};

/// What encodings on other threads work with. Each takes a workspace for itself and gives it back, so that
/// there are as many as ever ran at once, and what one has remembered is there for the next.
class WorkspacePool {
 public:
  struct Workspace {
    EncodeScratch scratch;
    EncodeCaches caches;
  };

  /// A workspace for as long as the loan lives.
  class Loan {
   public:
    explicit Loan(WorkspacePool& pool);
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan();

    [[nodiscard]] EncodeScratch& scratch() noexcept { return workspace_->scratch; }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> workspace_;
  };

 private:
  /// Of more that ran at once, some megabytes each, the memory is given back.
  static constexpr std::size_t kMostIdle = 8;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};
}  // namespace safetokens
