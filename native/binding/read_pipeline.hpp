#pragma once
#include <napi.h>

#include "binding/addon_data.hpp"
#include "core/pipeline_spec.hpp"

namespace safetokens {
/// `NativePipelineSpec` of binding.d.cts. The spec's views point into the object's typed arrays.
PipelineSpec read_pipeline(const Napi::Object& object, AddonData& data);
}  // namespace safetokens
