#include "core/model/redaction.h"

#include <gtest/gtest.h>

#include <map>

namespace jettison {
namespace {

TEST(Redaction, AUrlLosesItsUserItsPasswordAndItsQuery) {
  const std::map<std::string, std::string> cases = {
      {"https://host/path", "https://host/path"},
      {"https://me:secret@host:80/path", "https://<redacted>@host:80/path"},
      {"https://token@host", "https://<redacted>@host"},
      {"https://me:a/b@c@host/path", "https://<redacted>@host/path"},
      {"https://host/path?token=secret", "https://host/path?<redacted>"},
      {"https://host?x=1#secret", "https://host?<redacted>"},
      {"https://host/#secret", "https://host/#<redacted>"},
      {"https://me:secret@host/?a=b@c", "https://<redacted>@host/?<redacted>"},
      {"me:secret@host/path?x", "<redacted>@host/path?<redacted>"},
      {"", ""},
  };
  for (const auto& [url, redacted] : cases) EXPECT_EQ(RedactedUrl(url), redacted) << url;
}

TEST(Redaction, UrlsWithinATextAreRedactedAndTheRestStays) {
  EXPECT_EQ(WithRedactedUrls("what? me@here"), "what? me@here");
  EXPECT_EQ(WithRedactedUrls("--to=postgres://me:pw@db/x?ssl=1 --keep 'http://a?b' me@c?d"),
            "--to=postgres://<redacted>@db/x?<redacted> --keep 'http://a?<redacted>' me@c?d");
  EXPECT_EQ(WithRedactedUrls("x://"), "x://");
}

TEST(Redaction, APodKeepsNoValueOfAVariable) {
  Pod pod;
  Container container;
  container.name = "main";
  container.command = {"/bin/curl", "https://me:secret@host/"};
  container.args = {"--data=$(PASSWORD)"};
  container.env = {{"PASSWORD", "secret"}, {"EMPTY", ""}};
  container.pre_stop = ExecAction{{"/bin/curl", "http://host/?secret"}};
  pod.containers = {container};
  pod.init_containers = {container};
  pod.annotations = {{"kubectl.kubernetes.io/last-applied-configuration", "secret"},
                     {"see", "https://host/?secret"},
                     {"note", "kept"}};
  const Pod redacted = RedactedPod(pod);
  for (const Container& each : {redacted.containers[0], redacted.init_containers[0]}) {
    EXPECT_EQ(each.command[1], "https://<redacted>@host/");
    EXPECT_EQ(each.args[0], "--data=$(PASSWORD)");
    EXPECT_EQ(each.env[0].name, "PASSWORD");
    EXPECT_EQ(each.env[0].value, kRedacted);
    EXPECT_EQ(each.env[1].value, "");
    EXPECT_EQ(each.pre_stop->command[1], "http://host/?<redacted>");
  }
  EXPECT_EQ(redacted.annotations.at("kubectl.kubernetes.io/last-applied-configuration"), kRedacted);
  EXPECT_EQ(redacted.annotations.at("see"), "https://host/?<redacted>");
  EXPECT_EQ(redacted.annotations.at("note"), "kept");
}

}  // namespace
}  // namespace jettison
