#include "binding/held_bytes.hpp"

#include <cmath>
#include <new>

#include "binding/addon_data.hpp"
#include "binding/file_reader.hpp"
#include "binding/read_input.hpp"
#include "core/zeroed_table.hpp"

namespace safetokens {
Napi::Value to_js_view(Napi::Env env, const HeldBytes& held) {
  auto owner = std::make_unique<std::shared_ptr<const void>>(held.owner);
  const auto buffer = Napi::ArrayBuffer::New(
      env, const_cast<std::byte*>(held.bytes.data()), held.bytes.size(),
      [](Napi::BasicEnv, void*, std::shared_ptr<const void>* kept) { delete kept; }, owner.get());
  (void)owner.release();  // deleted with the buffer
  return Napi::Uint8Array::New(env, held.bytes.size(), buffer, 0);
}

Napi::Function MemoryWrap::define(Napi::Env env) {
  return DefineClass(
      env, "NativeMemory",
      {InstanceMethod<&MemoryWrap::bytes>("bytes"), InstanceMethod<&MemoryWrap::read>("read")});
}

MemoryWrap::MemoryWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<MemoryWrap>(info) {
  const double size = info[0].ToNumber().DoubleValue();
  if (!(size >= 1 && size <= 0x1p40 && std::trunc(size) == size)) {
    throw Napi::RangeError::New(info.Env(), "size: a number of bytes was expected");
  }
  try {
    auto memory = std::make_shared<ZeroedTable<std::byte>>(static_cast<std::size_t>(size));
    held_ = {{&(*memory)[0], memory->size()}, memory};
  } catch (const std::bad_alloc&) {
    throw Napi::RangeError::New(info.Env(), "size: there is not so much memory");
  }
}

Napi::Value MemoryWrap::read(const Napi::CallbackInfo& info) {
  const double from = info[1].ToNumber().DoubleValue();
  if (!(from >= 0 && from <= static_cast<double>(held_.bytes.size()))) {
    throw Napi::RangeError::New(info.Env(), "from: a place in the memory was expected");
  }
  auto* reader = new FileReader(info.Env(), read_utf8(info[0], "path", addon_data(info.Env())), held_,
                                static_cast<std::size_t>(from));  // deletes itself when done
  const Napi::Promise promise = reader->promise();
  reader->Queue();
  return promise;
}

Napi::Value MemoryWrap::bytes(const Napi::CallbackInfo& info) { return to_js_view(info.Env(), held_); }
}  // namespace safetokens
