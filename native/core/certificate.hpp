#pragma once
#include "core/id_marks.hpp"
#include "core/vocabulary.hpp"

namespace safetokens {
/// The load-time proof of invariant I1: none of `emittable`, which is every id that the compiled tables can
/// give for text, is reserved, and each is an id of the vocabulary. Throws `Error(kCertificate)` with the id
/// and its name otherwise; that would be a bug in the code that compiles the tables, never a fault of the
/// model file.
void certify(const Vocabulary& vocabulary, const IdMarks& emittable);
}  // namespace safetokens
