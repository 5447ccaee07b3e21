#include "tests/unit/web_pages/template_rules.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::web {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(TemplateTags, MatchingSectionsAreAccepted) {
  EXPECT_THAT(CheckTags("{{! note }}{{#a}}{{b.c}}{{^d}}-{{/d}}{{/a}}{{> row}}", {"row"}),
              IsEmpty());
}

TEST(TemplateTags, SectionsThatDoNotMatchAreReported) {
  EXPECT_THAT(CheckTags("{{#a}}", {}), ElementsAre(HasSubstr("a does not end")));
  EXPECT_THAT(CheckTags("\n{{/a}}", {}), ElementsAre(HasSubstr("line 2")));
  EXPECT_THAT(CheckTags("{{#a}}{{#b}}{{/a}}{{/b}}", {}), ElementsAre(HasSubstr("ends b")));
  EXPECT_THAT(CheckTags("{{#a", {}), ElementsAre(HasSubstr("does not end")));
}

TEST(TemplateTags, UnknownPartialIsReported) {
  EXPECT_THAT(CheckTags("{{> rwo}}", {"row"}), ElementsAre(HasSubstr("rwo")));
}

TEST(TemplateTags, UnescapedTextIsReported) {
  for (const char* text : {"{{{a}}}", "{{& a}}", "{{=<% %>=}}"})
    EXPECT_THAT(CheckTags(text, {}), Not(IsEmpty())) << text;
}

TEST(TemplateMarkup, OwnScriptAndQuotedValuesAreAccepted) {
  EXPECT_THAT(CheckMarkup(R"(<script src="/assets/pages.js"></script><a href="/jobs/{{job}}">)"
                          R"(<p title="{{a}}" data-on="1">)"),
              IsEmpty());
}

TEST(TemplateMarkup, CodeInThePageIsReported) {
  for (const char* text :
       {"<script>a()</script>", "<script src=\"/assets/pages.js\">a()</script>",
        "<script src=\"x.js\"></script>", "<style>a{}</style>", "<p style=\"color:red\">",
        "<p onclick=\"a()\">", "<a href=\"javascript:a()\">", "<p title={{a}}>",
        "<a href=\"{{a}}\">", "<img src='{{a}}'>", "<a href=\"//example.org\">"}) {
    EXPECT_THAT(CheckMarkup(text), Not(IsEmpty())) << text;
  }
}

TEST(TemplateTags, PartialsAreListed) {
  EXPECT_THAT(PartialsIn("{{> a}} {{#b}}{{>c}}{{/b}} {{! > d}}"), ElementsAre("a", "c"));
}

}  // namespace
}  // namespace dl::web
