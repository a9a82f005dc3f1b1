#include "core/pipeline_added_tokens.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/error.hpp"
#include "core/pipeline_vocabulary.hpp"
#include "test_pipeline.hpp"

namespace safetokens {
namespace {
AddedToken added(std::uint32_t id, std::string content, bool normalized = false) {
  return {id, std::move(content), false, false, false, normalized, false};
}

/// The id of what is found first, or -1.
int found(const AddedTokenMatcher& matcher, std::string_view text) {
  AddedTokenMatcher::Match match{};
  return matcher.find(text, 0, 0, match) ? static_cast<int>(match.id) : -1;
}

TestPipeline pipeline_of(std::string_view control) {
  TestPipeline pipeline({"<r>", "tt", "<n>", "nn", std::string(control)}, WordLevelSpec{});
  pipeline.reserved = {0, 2, 4};
  pipeline.spec.added_tokens = {added(0, "<r>"), added(1, "tt"), added(2, "<n>", true), added(3, "nn", true)};
  pipeline.spec.control_names = {{std::string(control), 4, true}};
  return pipeline;
}

TEST(PipelineAddedTokens, ReservedOnesAreInTrustedTextAlone) {
  TestPipeline pipeline = pipeline_of("<c>");
  const PipelineVocabulary vocabulary(pipeline.get());
  const PipelineAddedTokens tokens(pipeline.get(), vocabulary);
  for (const char* reserved : {"<r>", "<n>", "<c>"}) {
    EXPECT_EQ(found(tokens.in_text().as_given, reserved), -1) << reserved;
    EXPECT_EQ(found(tokens.in_text().normalized, reserved), -1) << reserved;
  }
  EXPECT_EQ(found(tokens.in_text().as_given, "tt"), 1);
  EXPECT_EQ(found(tokens.in_text().normalized, "nn"), 3);
  EXPECT_EQ(tokens.text_ids(), (std::vector<std::uint32_t>{1, 3}));
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(found(tokens.in_trusted_text().as_given, "<r>"), 0);
    EXPECT_EQ(found(tokens.in_trusted_text().as_given, "tt"), 1);
    EXPECT_EQ(found(tokens.in_trusted_text().as_given, "<c>"), 4);
    EXPECT_EQ(found(tokens.in_trusted_text().normalized, "<n>"), 2);
    EXPECT_EQ(found(tokens.in_trusted_text().normalized, "nn"), 3);
  }
}

TEST(PipelineAddedTokens, NoneIsTooLong) {
  const auto make = [](TestPipeline& pipeline) {
    const PipelineVocabulary vocabulary(pipeline.get());
    return PipelineAddedTokens(pipeline.get(), vocabulary).text_ids().size();
  };
  const std::string most(1024, 'a'), more(1025, 'a');
  for (const bool is_long : {false, true}) {
    const std::string& text = is_long ? more : most;
    TestPipeline control = pipeline_of(text), reserved = pipeline_of("<c>"), normal = pipeline_of("<c>");
    reserved.spec.added_tokens[0].content = text;
    normal.spec.added_tokens[3].content = text;
    for (TestPipeline* pipeline : {&control, &reserved, &normal}) {
      if (is_long) {
        EXPECT_THROW(make(*pipeline), Error);
      } else {
        EXPECT_EQ(make(*pipeline), 2u);
      }
    }
  }
}
}  // namespace
}  // namespace safetokens
