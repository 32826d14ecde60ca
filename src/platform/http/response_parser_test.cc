#include "platform/http/response_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison::http {
namespace {

using ::testing::HasSubstr;

// What comes of the bytes, fed all at once or one by one, then the end of the connection.
Result<HttpResponse> Parsed(const std::string& bytes, std::size_t step, bool is_head = false) {
  ResponseParser parser(1000, is_head);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (auto fed = parser.Feed(std::string_view(bytes).substr(at, step)); !fed) {
      return Fail(fed.error());
    }
  }
  if (auto ended = parser.End(); !ended) return Fail(ended.error());
  return parser.response();
}

TEST(ResponseParser, EachWayToSayHowLongABodyIs) {
  const std::pair<std::string, std::string> kRows[] = {
      {"Content-Length: 5\r\n\r\nhello", "hello"},
      {"content-length:5\r\n\r\nhello", "hello"},
      {"Content-Length: 0\r\n\r\n", ""},
      {"\r\nhello", "hello"},
      {"Transfer-Encoding: Chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nT: 1\r\n\r\n", "hello"},
      {"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ""},
  };
  for (const auto& [rest, body] : kRows) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
      const auto response = Parsed("HTTP/1.1 200 OK\r\n" + rest, step);
      ASSERT_TRUE(response) << rest << response.error().message;
      EXPECT_EQ(response->body, body) << rest;
    }
  }
}

TEST(ResponseParser, StatusTypeAndHeaders) {
  const auto response = Parsed(
      "HTTP/1.1 100 Continue\r\n\r\n"
      "HTTP/1.0 404 Not Found\r\nContent-Type:  text/plain \r\nETag: \"x\"\r\n\r\nno",
      3);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->content_type, "text/plain");
  ASSERT_EQ(response->headers.size(), 1U);
  EXPECT_EQ(response->headers[0].first, "ETag");
  EXPECT_EQ(response->headers[0].second, "\"x\"");
}

TEST(ResponseParser, NoBodyFollowsWhereNoneMay) {
  EXPECT_EQ(Parsed("HTTP/1.1 204 No Content\r\n\r\n", 9)->body, "");
  EXPECT_EQ(Parsed("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 9)->body, "");
  EXPECT_EQ(Parsed("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", 9, true)->body, "");
}

TEST(ResponseParser, WhatIsBrokenIsAnError) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::pair<std::string, std::string> kRows[] = {
      {"", "without an answer"},
      {"HTTP/1.1 200", "in the middle"},
      {"SSH-2.0-OpenSSH\r\n\r\n", "first line"},
      {"HTTP/2 200 OK\r\n\r\n", "first line"},
      {"HTTP/1.1 2000 OK\r\n\r\n", "first line"},
      {"HTTP/1.1 099 OK\r\n\r\n", "first line"},
      {ok + "no colon\r\n\r\n", "no name"},
      {ok + "Content-Length: -1\r\n\r\n", "length"},
      {ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "length"},
      {ok + "Content-Length: 99999999999999999999\r\n\r\n", "length"},
      {ok + "Content-Length: 9\r\n\r\nhello", "in the middle"},
      {ok + "Content-Length: 1001\r\n\r\n", "more than 1000"},
      {ok + "\r\n" + std::string(1001, 'x'), "more than 1000"},
      {ok + "Transfer-Encoding: gzip\r\n\r\n", "encoding"},
      {ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", "size of a chunk"},
      {ok + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", "size of a chunk"},
      {ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "no end"},
      {ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "in the middle"},
      {ok + "Transfer-Encoding: chunked\r\n\r\n" + std::string(5000, '0'), "more than 4096"},
      {ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + std::string(5000, 'x'), "more than 4096"},
      {ok + "X: " + std::string(70'000, 'x'), "its head has more than 65536"},
  };
  for (const auto& [bytes, problem] : kRows) {
    for (const std::size_t step : {std::size_t{11}, std::size_t{100'000}}) {
      const auto response = Parsed(bytes, step);
      ASSERT_FALSE(response) << bytes.substr(0, 80);
      EXPECT_THAT(response.error().message, HasSubstr(problem)) << bytes.substr(0, 80);
    }
  }
}

}  // namespace
}  // namespace jettison::http
