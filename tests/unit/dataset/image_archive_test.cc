// Archives of images, also hostile ones.
#include "dataset/readers/image/image_archive.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

namespace fs = std::filesystem;
using test::IsError;
using test::IsOk;

// An entry of a tar archive (POSIX ustar).
struct TarEntry {
  std::string name;
  std::string content = "x";
  char type = '0';  // 0: file, 1: hard link, 2: symbolic link, 3: device, 5: folder
  std::string link = {};
};

std::string Tar(const std::vector<TarEntry>& entries) {
  std::string tar;
  for (const TarEntry& entry : entries) {
    std::array<char, 512> head = {};
    std::memcpy(head.data(), entry.name.data(), entry.name.size());
    std::snprintf(&head[100], 8, "%07o", 0644);
    std::snprintf(&head[124], 12, "%011zo", entry.content.size());
    std::memset(&head[148], ' ', 8);
    head[156] = entry.type;
    std::memcpy(&head[157], entry.link.data(), entry.link.size());
    std::memcpy(&head[257], "ustar\00000", 8);
    unsigned sum = 0;
    for (const char c : head) sum += static_cast<unsigned char>(c);
    std::snprintf(&head[148], 8, "%06o", sum);
    tar.append(head.data(), head.size());
    tar += entry.content;
    tar.append((512 - entry.content.size() % 512) % 512, '\0');
  }
  tar.append(1024, '\0');
  return tar;
}

// Changes the record of the first entry in the directory of a zip archive.
std::string WithDirectory(std::string zip, size_t offset, const std::string& bytes) {
  return zip.replace(zip.find("PK\x01\x02") + offset, bytes.size(), bytes);
}

class ImageArchiveTest : public testing::Test {
 protected:
  StatusOr<std::string> Unpack(const std::string& content, int64_t max_files = kMaxArchiveFiles) {
    folder_.Write("a.tar", content);
    fs::remove_all(folder_ / "out");
    fs::create_directory(folder_ / "out");
    return UnpackImages(
        {.archive = folder_ / "a.tar", .folder = folder_ / "out", .max_files = max_files});
  }
  // Returns the files outside of the folder "out", except the archive.
  int64_t Outside() const {
    int64_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      files += entry.path().filename() != "out" && entry.path().filename() != "a.tar" ? 1 : 0;
    return files;
  }
  // Returns the number of bytes in the folder "out".
  int64_t Unpacked() const {
    int64_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "out"))
      bytes += entry.is_regular_file() ? static_cast<int64_t>(entry.file_size()) : 0;
    return bytes;
  }
  const test::TempFolder folder_;
};

TEST_F(ImageArchiveTest, AllFormatsHaveTheSameFiles) {
  const std::string tar =
      Tar({{"cat/1.png", "one"}, {"./", "", '5'}, {"./dog/2.png", "two"}, {"dog/3.png", ""}});
  const std::vector<std::pair<std::string, std::string>> files = {
      {"cat/1.png", "one"}, {"dog/2.png", "two"}, {"dog/3.png", ""}};
  for (const std::string& content : {tar, test::Gzip(tar), test::Zstd(tar), test::Zip(files),
                                     test::Zip(files, /*deflated=*/true)}) {
    const auto images = Unpack(content);
    ASSERT_THAT(images, IsOk());
    EXPECT_EQ(*images, folder_ / "out");
    EXPECT_EQ(*ReadFile(folder_ / "out/cat/1.png", 10), "one");
    EXPECT_EQ(*ReadFile(folder_ / "out/dog/2.png", 10), "two");
    EXPECT_EQ(*ReadFile(folder_ / "out/dog/3.png", 10), "");
  }
}

TEST_F(ImageArchiveTest, FolderAroundTheClassesIsSkipped) {
  const auto images = Unpack(Tar({{"photos/", "", '5'},
                                  {"photos/.DS_Store"},
                                  {"__MACOSX/photos/1.png"},
                                  {"photos/README.txt"},
                                  {"LICENSE"},
                                  {"photos/cat/1.png"},
                                  {"photos/dog/2.png"}}));
  ASSERT_THAT(images, IsOk());
  EXPECT_EQ(*images, folder_ / "out/photos");
  EXPECT_FALSE(fs::exists(folder_ / "out/photos/.DS_Store"));
  EXPECT_FALSE(fs::exists(folder_ / "out/__MACOSX"));
  const auto one_class = Unpack(Tar({{"cat/1.png"}}));
  ASSERT_THAT(one_class, IsOk());
  EXPECT_EQ(*one_class, folder_ / "out");
}

// Zip archives mark names in UTF-8, tar archives do not, and a header of pax is always UTF-8.
TEST_F(ImageArchiveTest, NamesAreUtf8OrRawBytes) {
  const std::string zip = test::Zip({{"\u00c4pfel/\u732b.png", "one"}});
  const std::string pax = "23 path=\u00c4pfel/\u732b.png\n";
  ASSERT_EQ(pax.size(), 23);
  for (const std::string& content :
       {Tar({{"\u00c4pfel/\u732b.png", "one"}}), Tar({{"head", pax, 'x'}, {"other", "one"}}), zip,
        WithDirectory(zip, 9, "\x08").replace(7, 1, "\x08")}) {
    ASSERT_THAT(Unpack(content), IsOk());
    EXPECT_EQ(*ReadFile(folder_ / "out/\u00c4pfel/\u732b.png", 10), "one");
  }
  ASSERT_THAT(Unpack(Tar({{"cat/\xe4.png", "one"}})), IsOk());
  EXPECT_EQ(*ReadFile(folder_ / "out/cat/\xe4.png", 10), "one");
}

TEST_F(ImageArchiveTest, EntriesThatLeaveTheFolderAreRefused) {
  for (const char* name : {"../1.png", "cat/../../1.png", "/1.png", "cat/..", "..", "..\\1.png",
                           "./../1.png", "cat/./../../x", "//1.png", "cat\\1.png", ".", ""}) {
    EXPECT_THAT(Unpack(Tar({{name}})), testing::Not(IsOk())) << name;
    EXPECT_EQ(Outside(), 0) << name;
    // libarchive turns the slashes of Windows around in zip archives.
    if (std::string_view(name).starts_with("cat\\") || *name == '\0') continue;
    EXPECT_THAT(Unpack(test::Zip({{name, "x"}})),
                IsError(absl::StatusCode::kInvalidArgument, "the entry"))
        << name;
    EXPECT_EQ(Outside(), 0) << name;
  }
}

TEST_F(ImageArchiveTest, LinksAndDevicesAreRefused) {
  for (const char type : {'1', '2', '3', '4', '6'}) {
    EXPECT_THAT(Unpack(Tar({{"cat/1.png", "", type, "/etc/passwd"}})),
                IsError(absl::StatusCode::kInvalidArgument, "neither a regular file"))
        << type;
  }
  EXPECT_THAT(Unpack(Tar({{"cat", "", '2', "/tmp"}, {"cat/1.png"}})),
              IsError(absl::StatusCode::kInvalidArgument, "neither a regular file"));
  EXPECT_THAT(Unpack(Tar({{".cat", "", '2', "/tmp"}})),
              IsError(absl::StatusCode::kInvalidArgument, "neither a regular file"));
  // A zip archive of Unix has the mode of the file in the upper half of its attributes.
  const std::string zip = test::Zip({{"cat/1.png", "/etc/passwd"}});
  for (const int mode : {0120777, 0020666}) {
    EXPECT_THAT(Unpack(WithDirectory(WithDirectory(zip, 5, "\x03"), 38,
                                     test::LittleEndian(static_cast<uint64_t>(mode) << 16, 4))),
                IsError(absl::StatusCode::kInvalidArgument, "neither a regular file"))
        << mode;
  }
}

TEST_F(ImageArchiveTest, NamesThatOccurTwiceAreRefused) {
  for (const std::string& content :
       {Tar({{"cat/1.png"}, {"cat/1.png"}}), Tar({{"cat/1.png"}, {"./cat//1.png"}}),
        Tar({{"cat/1.png"}, {"cat"}}), test::Zip({{"cat/1.png", "a"}, {"cat/1.png", "b"}})}) {
    EXPECT_THAT(Unpack(content), IsError(absl::StatusCode::kInvalidArgument, "occurs twice"));
  }
  EXPECT_THAT(Unpack(Tar({{"cat"}, {"cat/1.png"}})),
              IsError(absl::StatusCode::kInvalidArgument, "is a file, too"));
}

TEST_F(ImageArchiveTest, LongNamesAreRefused) {
  const auto named = [](const std::string& name) {
    return Tar({{"././@LongLink", name + '\0', 'L'}, {"short"}});
  };
  std::string deep;
  for (int i = 0; i < 10; ++i) deep += std::string(99, 'a') + "/";
  ASSERT_THAT(Unpack(named(deep + "1.png")), IsOk());
  EXPECT_TRUE(fs::exists(folder_ / ("out/" + deep + "1.png")));
  for (const std::string& name : {"cat/" + std::string(4096, 'a'), "cat/" + std::string(256, 'a'),
                                  deep + deep + "1.png", std::string(4096, '/') + "1.png"}) {
    const auto images = Unpack(named(name));
    EXPECT_THAT(images, IsError(absl::StatusCode::kInvalidArgument, "the entry"));
    EXPECT_LT(images.status().message().size(), 200);
  }
  EXPECT_THAT(Unpack(test::Zip({{"cat/" + std::string(4096, 'a'), "x"}})),
              IsError(absl::StatusCode::kInvalidArgument, "the entry"));
}

TEST_F(ImageArchiveTest, ErrorsShowNoControlCharacters) {
  EXPECT_THAT(Unpack(Tar({{"../\x1b[31m\n.png"}})),
              IsError(absl::StatusCode::kInvalidArgument, R"(../\u001b[31m\n.png)"));
}

TEST_F(ImageArchiveTest, EncryptedEntriesAreRefused) {
  const std::string zip = test::Zip({{"cat/1.png", std::string(100, 'x')}});
  EXPECT_THAT(Unpack(WithDirectory(zip, 8, "\x01").replace(6, 1, "\x01")),
              IsError(absl::StatusCode::kInvalidArgument, "is encrypted"));
}

// The bytes of entries that are skipped take time, so they count too.
TEST_F(ImageArchiveTest, BombsAreRefused) {
  const std::string large(kFreeUnpackedBytes + (8 << 20), '\0');
  for (const char* name : {"cat/1.png", ".cache/1.png"}) {
    EXPECT_THAT(Unpack(test::Gzip(Tar({{name, large}}))),
                IsError(absl::StatusCode::kResourceExhausted, "4 times its size"))
        << name;
    EXPECT_LE(Unpacked(), kFreeUnpackedBytes + (2 << 20)) << name;
  }
  EXPECT_THAT(Unpack(test::Zip({{"cat/1.png", large}}, /*deflated=*/true)),
              IsError(absl::StatusCode::kResourceExhausted, "4 times its size"));
  const std::string half(large.size() / 2, '\0');
  EXPECT_THAT(Unpack(test::Zip({{"cat/1.png", half}, {"cat/2.png", half}}, /*deflated=*/true)),
              IsError(absl::StatusCode::kResourceExhausted, "4 times its size"));
  EXPECT_THAT(Unpack(test::Zip({{"cat/1.png", large}})), IsOk());
}

TEST_F(ImageArchiveTest, FilesAndFoldersAreCounted) {
  const std::string three = Tar({{"cat/1.png"}, {"cat/2.png"}});  // and the folder
  EXPECT_THAT(Unpack(three, 3), IsOk());
  EXPECT_THAT(Unpack(three, 2), IsError(absl::StatusCode::kResourceExhausted, "more than 2 files"));
  EXPECT_THAT(Unpack(Tar({{"a/b/c/d/e/1.png"}}), 5),
              IsError(absl::StatusCode::kResourceExhausted, "more than 5 files"));
  EXPECT_THAT(Unpack(Tar({{"a/", "", '5'}, {"b/", "", '5'}, {".c"}}), 2),
              IsError(absl::StatusCode::kResourceExhausted, "more than 2 files"));
}

// Cut archives, wrong checksums and garbage.
TEST_F(ImageArchiveTest, DamagedArchivesAreErrors) {
  const std::string tar = Tar({{"cat/1.png", std::string(5000, 'x')}});
  EXPECT_THAT(Unpack(tar.substr(0, 3000)), IsError(absl::StatusCode::kDataLoss, "unpacked"));
  EXPECT_THAT(Unpack(std::string(2000, 'x')), IsError(absl::StatusCode::kDataLoss, "unpacked"));
  EXPECT_THAT(Unpack(""), IsError(absl::StatusCode::kDataLoss, "unpacked"));
  const std::string gzip = test::Gzip(tar);
  const std::string zip =
      test::Zip({{"cat/1.png", std::string(50, 'x')}, {"dog/1.png", "y"}}, /*deflated=*/true);
  for (const std::string& whole : {gzip, zip}) {
    for (size_t size = 0; size < whole.size(); ++size)
      EXPECT_THAT(Unpack(whole.substr(0, size)), testing::Not(IsOk())) << size;
  }
  std::string other = test::Zip({{"cat/1.png", "xxxx"}});
  other[other.find("xxxx")] = 'y';
  EXPECT_THAT(Unpack(other), IsError(absl::StatusCode::kDataLoss, "unpacked"));
  EXPECT_THAT(UnpackImages({.archive = folder_ / "none.zip", .folder = folder_ / "out"}),
              IsError(absl::StatusCode::kNotFound, ""));
}

TEST_F(ImageArchiveTest, WorkEndsWhenItMayNotGoOn) {
  folder_.Write("a.tar", Tar({{"cat/1.png"}}));
  fs::create_directory(folder_ / "out");
  EXPECT_THAT(UnpackImages({.archive = folder_ / "a.tar",
                            .folder = folder_ / "out",
                            .may_go_on = [] { return Cancelled({.message = "stop"}); }}),
              IsError(absl::StatusCode::kCancelled, "stop"));
}

TEST(ImageArchive, NamesOfArchives) {
  for (const char* name : {"a.zip", "A.ZIP", "a.tar", "a.tgz", "a.tar.gz", "a.tar.zst"})
    EXPECT_TRUE(IsImageArchive(name)) << name;
  for (const char* name : {"a.gz", "a.csv.gz", "a.7z", "zip", "a.tar.xz"})
    EXPECT_FALSE(IsImageArchive(name)) << name;
}

}  // namespace
}  // namespace dl::dataset
