#include "binding/tokenizer_wrap.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "binding/batch_worker.hpp"
#include "binding/convert.hpp"
#include "binding/decode_stream_wrap.hpp"
#include "binding/encode_worker.hpp"
#include "binding/read_input.hpp"
#include "binding/read_pipeline.hpp"
#include "core/id_room.hpp"
#include "core/model_cache.hpp"
#include "core/trim.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// Lets go of the scratch memory of a huge text when the call is over. That a text is short is told by the
/// room that was needed to read it.
class TrimAfter {
 public:
  explicit TrimAfter(AddonData& data) : data_(data) {}
  TrimAfter(const TrimAfter&) = delete;
  TrimAfter& operator=(const TrimAfter&) = delete;
  ~TrimAfter() {
    if (data_.units.size() > kShortText) data_.trim();
  }

 private:
  AddonData& data_;
};

std::size_t read_limit(const Napi::Value& value) {
  return value.IsNumber() ? static_cast<std::size_t>(value.ToNumber().Int64Value()) : IdLimit{}.most;
}

/// The first numbers of an array that is used again and again, as many as `count` says; all without it.
std::span<const std::uint32_t> first_numbers(std::span<const std::uint32_t> numbers,
                                             const Napi::Value& count) {
  if (!count.IsNumber()) return numbers;
  const std::int64_t first = count.ToNumber().Int64Value();
  if (first < 0 || static_cast<std::uint64_t>(first) > numbers.size()) {
    throw Napi::RangeError::New(count.Env(), "count: no more than there are numbers was expected");
  }
  return numbers.first(static_cast<std::size_t>(first));
}

DecodeOptions read_decode_options(const Napi::CallbackInfo& info, std::size_t at) {
  return {.separate_runs = info[at].ToBoolean(),
          .lenient = info[at + 1].ToBoolean(),
          .skip_reserved = info[at + 2].ToBoolean()};
}
}  // namespace

Napi::Function TokenizerWrap::define(Napi::Env env) {
  return DefineClass(env, "NativeTokenizer",
                     {InstanceMethod<&TokenizerWrap::encode>("encode"),
                      InstanceMethod<&TokenizerWrap::encode_into>("encodeInto"),
                      InstanceMethod<&TokenizerWrap::encode_with_offsets>("encodeWithOffsets"),
                      InstanceMethod<&TokenizerWrap::build_chat_input>("buildChatInput"),
                      InstanceMethod<&TokenizerWrap::build_chat_input_async>("buildChatInputAsync"),
                      InstanceMethod<&TokenizerWrap::encode_batch_async>("encodeBatchAsync"),
                      InstanceMethod<&TokenizerWrap::count>("count"),
                      InstanceMethod<&TokenizerWrap::count_text>("countText"),
                      InstanceMethod<&TokenizerWrap::count_async>("countAsync"),
                      InstanceMethod<&TokenizerWrap::decode>("decode"),
                      InstanceMethod<&TokenizerWrap::decode_parts>("decodeParts"),
                      InstanceMethod<&TokenizerWrap::decode_stream>("decodeStream"),
                      InstanceMethod<&TokenizerWrap::find_reserved>("findReserved"),
                      InstanceMethod<&TokenizerWrap::get_command>("getCommand"),
                      InstanceMethod<&TokenizerWrap::id_to_token>("idToToken"),
                      InstanceMethod<&TokenizerWrap::tokens_to_ids>("tokensToIds"),
                      InstanceMethod<&TokenizerWrap::stored_tables>("storedTables"),
                      InstanceMethod<&TokenizerWrap::memo_statistics>("memoStatistics"),
                      InstanceMethod<&TokenizerWrap::dispose>("dispose")});
}

TokenizerWrap::TokenizerWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<TokenizerWrap>(info) {
  const Napi::Env env = info.Env();
  AddonData& data = addon_data(env);
  if (!info[0].IsObject()) throw Napi::TypeError::New(env, "spec: an object was expected");
  const auto object = info[0].As<Napi::Object>();
  const std::string key = read_utf8(object.Get("key"), "key", data);
  tokenizer_ = with_js_errors(env, [&] {
    return ModelCache::process().get(key, [&] {
      return object.Get("tokenBytes").IsUndefined() ? Tokenizer::compile(read_spec(object, data))
                                                    : Tokenizer::compile(read_pipeline(object, data));
    });
  });
  caches_.memo = StretchMemo(static_cast<std::size_t>(info[1].ToNumber().Int64Value()));
  // Otherwise a handle looks tiny to the garbage collector, which then sees no reason to run.
  reported_bytes_ = static_cast<std::int64_t>(tokenizer_->memory_bytes());
  Napi::MemoryManagement::AdjustExternalMemory(env, reported_bytes_);
}

void TokenizerWrap::Finalize(Napi::BasicEnv env) {
  Napi::MemoryManagement::AdjustExternalMemory(env, -reported_bytes_);
}

const std::shared_ptr<const Tokenizer>& TokenizerWrap::model(Napi::Env env) const {
  if (!tokenizer_) {
    Napi::Error error = Napi::Error::New(env, "this tokenizer has been disposed of");
    error.Set("code", Napi::String::New(env, "DISPOSED"));
    throw error;
  }
  return tokenizer_;
}

std::span<const std::uint32_t> TokenizerWrap::encode_input(Napi::Env env, AddonData& data,
                                                           TokenOffsets* offsets, std::size_t limit) {
  data.ids.clear();
  reserve_ids(data.input.text.size(), data.ids);
  caches_.attach(data.encode);
  with_js_errors(env,
                 [&] { model(env)->encode_up_to(limit, data.input.parts, data.encode, data.ids, offsets); });
  data.input.parts.clear();
  trim_buffer(data.input.text);  // what JavaScript is given may take its place
  return data.ids;
}

Napi::Value TokenizerWrap::encode(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  const TrimAfter trim(data);
  read_text(info[0], data, data.input);
  return to_js_ids(info.Env(), encode_input(info.Env(), data), data.few_ids);
}

Napi::Value TokenizerWrap::encode_into(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  AddonData& data = addon_data(env);
  const TrimAfter trim(data);
  const auto target = typed_array_view<std::uint32_t>(info[1], napi_uint32_array, "target");
  const double offset = info[2].ToNumber().DoubleValue();
  if (!(offset >= 0 && offset <= static_cast<double>(target.size()))) {
    throw Napi::RangeError::New(env, "offset: a place in target was expected");
  }
  read_text(info[0], data, data.input);
  const auto ids = encode_input(env, data);
  const auto room = target.subspan(static_cast<std::size_t>(offset));
  std::ranges::copy(ids.first(std::min(ids.size(), room.size())), room.begin());
  return Napi::Number::New(env, static_cast<double>(ids.size()));
}

Napi::Value TokenizerWrap::encode_with_offsets(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  const TrimAfter trim(data);
  read_parts(uint32_view(info[0], "parts"), info[1], data, data.input);
  const auto ids = encode_input(info.Env(), data, &data.offsets);
  return to_js_encoding(info.Env(), ids, data.offsets);
}

Napi::Value TokenizerWrap::build_chat_input(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  const TrimAfter trim(data);
  read_parts(first_numbers(uint32_view(info[0], "parts"), info[2]), info[1], data, data.input);
  return to_js_ids(info.Env(), encode_input(info.Env(), data), data.few_ids);
}

Napi::Value TokenizerWrap::build_chat_input_async(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  const TrimAfter trim(data);
  auto input = std::make_unique<PartsInput>();
  read_parts(uint32_view(info[0], "parts"), info[1], data, *input);
  auto* worker = new EncodeWorker(info.Env(), model(info.Env()), pool_, std::move(input),
                                  info[2].ToBoolean());  // deletes itself when done
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

Napi::Value TokenizerWrap::encode_batch_async(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  AddonData& data = addon_data(env);
  const TrimAfter trim(data);
  const auto ends = uint32_view(info[2], "ends");
  auto input = std::make_unique<BatchInput>();
  read_parts(uint32_view(info[0], "parts"), info[1], data, input->all);
  input->ends.assign(ends.begin(), ends.end());
  if (!std::ranges::is_sorted(input->ends) || input->ends.empty() ||
      input->ends.back() != input->all.parts.size()) {
    throw Napi::RangeError::New(
        env, "ends: each must be no less than the one before, the last the number of parts");
  }
  auto* worker = new BatchWorker(env, model(env), pool_, std::move(input));  // deletes itself when done
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

Napi::Value TokenizerWrap::count(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  const TrimAfter trim(data);
  read_parts(uint32_view(info[0], "parts"), info[1], data, data.input);
  const std::size_t limit = read_limit(info[2]);
  return to_js_count(info.Env(), encode_input(info.Env(), data, nullptr, limit).size(), limit);
}

Napi::Value TokenizerWrap::count_text(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  const TrimAfter trim(data);
  read_text(info[0], data, data.input);
  const std::size_t limit = read_limit(info[1]);
  return to_js_count(info.Env(), encode_input(info.Env(), data, nullptr, limit).size(), limit);
}

Napi::Value TokenizerWrap::count_async(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  const TrimAfter trim(data);
  auto input = std::make_unique<PartsInput>();
  read_parts(uint32_view(info[0], "parts"), info[1], data, *input);
  auto* worker = new CountWorker(info.Env(), model(info.Env()), pool_, std::move(input),
                                 read_limit(info[2]));  // deletes itself when done
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

Napi::Value TokenizerWrap::decode(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  const TrimAfter trim(data);
  const auto ids = uint32_view(info[0], "ids");
  const DecodeOptions options = read_decode_options(info, 1);
  data.text.clear();
  with_js_errors(info.Env(), [&] { model(info.Env())->decode(ids, options, data.text); });
  return to_js_string(info.Env(), data.text, data.units);
}

Napi::Value TokenizerWrap::decode_parts(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  AddonData& data = addon_data(env);
  const TrimAfter trim(data);
  const auto ids = uint32_view(info[0], "ids");
  const auto parts = with_js_errors(env, [&] { return model(env)->decode_parts(ids); });
  auto result = Napi::Array::New(env, parts.size());
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    auto object = Napi::Object::New(env);
    const bool control = parts[i].kind == PartKind::kControl;
    object.Set("type", control ? "control" : "text");
    if (control) object.Set("id", parts[i].id);
    object.Set(control ? "name" : "text", to_js_string(env, parts[i].text, data.units));
    result.Set(i, object);
  }
  return result;
}

Napi::Value TokenizerWrap::decode_stream(const Napi::CallbackInfo& info) {
  DecodeStreamWrap::Setup setup{model(info.Env()), read_decode_options(info, 0)};
  return addon_data(info.Env())
      .decode_stream.New({Napi::External<DecodeStreamWrap::Setup>::New(info.Env(), &setup)});
}

Napi::Value TokenizerWrap::get_command(const Napi::CallbackInfo& info) {
  const std::string name = read_utf8(info[0], "name", addon_data(info.Env()));
  const auto id = model(info.Env())->vocabulary().find_command(name);
  return id ? Napi::Number::New(info.Env(), *id) : info.Env().Undefined();
}

Napi::Value TokenizerWrap::find_reserved(const Napi::CallbackInfo& info) {
  const std::string text = read_utf8(info[0], "text", addon_data(info.Env()));
  std::vector<std::uint32_t> found;
  std::size_t at = 0, units = 0;
  for (const auto& [offset, id] : model(info.Env())->find_reserved(text)) {
    units += utf16_length(std::string_view(text).substr(at, offset - at));
    at = offset;
    found.push_back(static_cast<std::uint32_t>(units));
    found.push_back(id);
  }
  return to_uint32_array(info.Env(), found);
}

Napi::Value TokenizerWrap::id_to_token(const Napi::CallbackInfo& info) {
  const std::uint32_t id = info[0].ToNumber().Uint32Value();
  const Tokenizer& tokenizer = *model(info.Env());
  const std::string token = id < tokenizer.vocabulary().size() ? tokenizer.spelling(id) : std::string();
  if (token.empty()) return info.Env().Undefined();
  return to_js_string(info.Env(), token, addon_data(info.Env()).units);
}

Napi::Value TokenizerWrap::tokens_to_ids(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsArray()) throw Napi::TypeError::New(env, "tokens: an array was expected");
  const auto list = info[0].As<Napi::Array>();
  std::vector<std::string> tokens;
  for (std::uint32_t i = 0; i < list.Length(); ++i) {
    tokens.push_back(read_utf8(list.Get(i), "tokens", addon_data(env)));
  }
  const auto found = model(env)->find_tokens(tokens);
  auto ids = Napi::Array::New(env, found.size());
  for (std::uint32_t i = 0; i < found.size(); ++i) {
    if (found[i]) ids.Set(i, Napi::Number::New(env, *found[i]));
  }
  return ids;
}

Napi::Value TokenizerWrap::stored_tables(const Napi::CallbackInfo& info) {
  TableWriter writer;
  if (!model(info.Env())->store(writer)) return info.Env().Undefined();
  const auto& tables = writer.tables();
  auto list = Napi::Array::New(info.Env(), tables.size());
  for (std::uint32_t i = 0; i < tables.size(); ++i) {
    auto bytes = Napi::Uint8Array::New(info.Env(), tables[i].size());
    if (!tables[i].empty()) std::memcpy(bytes.Data(), tables[i].data(), tables[i].size());
    list.Set(i, bytes);
  }
  return list;
}

Napi::Value TokenizerWrap::memo_statistics(const Napi::CallbackInfo& info) {
  const StretchMemo::Statistics statistics = caches_.memo.statistics();
  auto object = Napi::Object::New(info.Env());
  const auto set = [&](const char* name, auto value) { object.Set(name, static_cast<double>(value)); };
  set("hits", statistics.hits);
  set("misses", statistics.misses);
  set("reusedBytes", statistics.reused_bytes);
  set("returned", statistics.returned);
  set("entries", statistics.entries);
  set("bytes", statistics.bytes);
  set("limit", statistics.limit);
  set("capacity", statistics.capacity);
  return object;
}

Napi::Value TokenizerWrap::dispose(const Napi::CallbackInfo& info) {
  caches_.memo.clear();
  tokenizer_.reset();
  pool_ = std::make_shared<WorkspacePool>();
  Napi::MemoryManagement::AdjustExternalMemory(info.Env(), -std::exchange(reported_bytes_, 0));
  return info.Env().Undefined();
}
}  // namespace safetokens
