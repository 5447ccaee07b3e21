#include <filesystem>

#include "absl/strings/str_cat.h"
#include "dataset/readers/image/image_folder_reader.h"
#include "dataset/readers/source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/dataset_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/image_bytes.h"

namespace dl::dataset {
namespace {

using test::Drawn;
using test::IsError;
using test::Jpeg;
using test::Pixels;
using test::Png;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Dot(uint8_t value) { return Png(Pixels{1, 1, 1, {value}}); }

class ImageFolderTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    return folder_.Write(name, bytes);
  }
  job::ImageFolderSource Dots(const std::string& set = "train") const {
    return data::ImageFolder(folder_ / set, 1, 1).Grey();
  }
  // Writes classes of one image each. The single value of an image is the number of its class.
  void WriteDots(const std::string& set, const std::vector<std::string>& classes) {
    for (size_t i = 0; i < classes.size(); ++i)
      Write(set + "/" + classes[i] + "/a.png", Dot(static_cast<uint8_t>(i)));
  }

  test::TempFolder folder_;
};

TEST_F(ImageFolderTest, ImagesOf16BitsWithFewLevelsAreReported) {
  const auto warnings = [&](const std::vector<uint8_t>& value) {
    const test::PngKind deep{.color_type = PNG_COLOR_TYPE_GRAY, .bits = 16};
    Write("train/a/1.png", Png(1, 1, value, deep));
    Write("train/b/1.png", Dot(200));
    const auto table = ReadImageFolder(Dots(), {});
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ok() ? table->warnings : std::vector<std::string>();
  };
  // 4,095 of 65,535, as of a camera of 12 bits.
  EXPECT_THAT(warnings({0x0f, 0xff}),
              ElementsAre(HasSubstr("1 image has 16 bits, of which 8 are kept: the largest value "
                                    "becomes 16 of 255")));
  EXPECT_THAT(warnings({0xff, 0xff}), testing::IsEmpty());
}

TEST_F(ImageFolderTest, EqualImagesAreReported) {
  int sets = 0;
  const auto warnings = [&](const std::vector<int>& cats, const std::vector<int>& dogs) {
    const std::string set = absl::StrCat("train", sets++);
    for (size_t i = 0; i < cats.size(); ++i)
      Write(absl::StrCat(set, "/cat/", i, ".png"), Dot(static_cast<uint8_t>(cats[i])));
    for (size_t i = 0; i < dogs.size(); ++i)
      Write(absl::StrCat(set, "/dog/", i, ".png"), Dot(static_cast<uint8_t>(dogs[i])));
    const auto table = ReadImageFolder(Dots(set), {});
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ok() ? table->warnings : std::vector<std::string>();
  };
  EXPECT_THAT(warnings({1, 2, 3}, {4, 5, 6}), testing::IsEmpty());
  EXPECT_THAT(warnings({1, 1}, {1}), ElementsAre(HasSubstr("all 3 images have the same pixels")));
  EXPECT_THAT(warnings({1, 2, 3}, {4, 2, 6}),
              ElementsAre(AllOf(HasSubstr("1 image has the same pixels as an image of another"),
                                HasSubstr("cat/1.png and "))));
  EXPECT_THAT(warnings({1, 2, 2}, {4, 5, 6}),
              ElementsAre(HasSubstr("1 of 6 images have the same pixels as another one")));
}

TEST_F(ImageFolderTest, FoldersOfImagesAndMasksAreNoClasses) {
  WriteDots("train", {"images", "masks"});
  EXPECT_THAT(ReadImageFolder(Dots(), {}).status(),
              IsError(absl::StatusCode::kInvalidArgument, "names of images and their masks"));
}

TEST_F(ImageFolderTest, PicturesInTheTransparencyAreReported) {
  const auto warnings = [&](const std::vector<uint8_t>& pixels) {
    const test::PngKind alpha{.color_type = PNG_COLOR_TYPE_RGB_ALPHA};
    Write("train/a/1.png", Png(1, 2, pixels, alpha));
    Write("train/b/1.png", Dot(200));
    const auto table = ReadImageFolder(data::ImageFolder(folder_ / "train", 1, 2), {});
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ok() ? table->warnings : std::vector<std::string>();
  };
  EXPECT_THAT(warnings({9, 0, 0, 255, 9, 0, 0, 0}),
              ElementsAre(HasSubstr("1 image has one color and transparent pixels")));
  EXPECT_THAT(warnings({9, 0, 0, 255, 9, 8, 0, 0}), testing::IsEmpty());
}

TEST_F(ImageFolderTest, FoldersOfSetsAreNoClasses) {
  Write("sets/train/1.png", Dot(1));
  Write("sets/Test/1.png", Dot(1));
  const Status status = ReadImageFolder(Dots("sets"), {}).status();
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument,
                              "its folders Test, train have the names of sets"));
  EXPECT_THAT(ErrorRemedy(status), HasSubstr("--train FOLDER --test FOLDER"));
  // A train is also a vehicle.
  WriteDots("vehicles", {"car", "train"});
  DL_EXPECT_OK(ReadImageFolder(Dots("vehicles"), {}));
}

TEST_F(ImageFolderTest, ClassesAndImagesAreInTheOrderOfTheirBytes) {
  Write("train/b/2.png", Dot(5));
  Write("train/b/10.PNG", Dot(4));
  Write("train/a/z", Dot(3));
  Write("train/B/x.jpg", Dot(1));
  Write("train/B/y.png", Jpeg(Pixels{8, 8, 1, std::vector<uint8_t>(64, 2)}));
  Write("train/\xc3\xa4/x.png", Dot(6));
  std::vector<std::string> paths;
  ReadOptions options;
  options.paths = &paths;
  const auto table = ReadImageFolder(Dots(), options);
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.class_names(), ElementsAre("B", "a", "b", "\xc3\xa4"));
  EXPECT_THAT(table->classes, ElementsAre(0, 0, 1, 2, 2, 3));
  EXPECT_THAT(table->u8, ElementsAre(1, 2, 3, 4, 5, 6)) << "by its bytes a file is what it is";
  EXPECT_EQ(table->schema.feature_shape, (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(table->schema.feature_type(), FeatureType::kU8);
  ASSERT_EQ(paths.size(), 6u);
  EXPECT_EQ(paths[3], folder_ / "train/b/10.PNG");
}

TEST_F(ImageFolderTest, ChannelsAreConverted) {
  Write("train/a/1.png", Png(Pixels{1, 2, 3, {255, 0, 0, 0, 0, 255}}));
  Write("train/a/2.png", Png(Pixels{1, 2, 1, {7, 9}}));
  const auto color = ReadImageFolder(data::ImageFolder(folder_ / "train", 1, 2));
  DL_ASSERT_OK(color);
  EXPECT_EQ(color->schema.feature_shape, (std::vector<int64_t>{3, 1, 2}));
  EXPECT_THAT(color->u8, ElementsAre(255, 0, 0, 0, 0, 255, 7, 9, 7, 9, 7, 9));
  const auto grey = ReadImageFolder(data::ImageFolder(folder_ / "train", 1, 2).Grey());
  DL_ASSERT_OK(grey);
  EXPECT_THAT(grey->u8, ElementsAre(76, 29, 7, 9)) << "0.299 of red, 0.114 of blue";
}

// The middle of 4 x 2 pixels is 2 x 2, and so is that of 2 x 4.
TEST_F(ImageFolderTest, AspectRatioIsStretchedOrCropped) {
  Write("train/a/1.png", Png(Pixels{2, 4, 1, {1, 2, 3, 4, 5, 6, 7, 8}}));
  Write("train/a/2.png", Png(Pixels{4, 2, 1, {1, 2, 3, 4, 5, 6, 7, 8}}));
  auto source = data::ImageFolder(folder_ / "train", 2, 2).Grey();
  const auto stretched = ReadImageFolder(source);
  DL_ASSERT_OK(stretched);
  EXPECT_THAT(stretched->u8, ElementsAre(2, 3, 6, 7, 2, 3, 6, 7));
  const auto cut = ReadImageFolder(source.CropToAspectRatio());
  DL_ASSERT_OK(cut);
  EXPECT_THAT(cut->u8, ElementsAre(2, 3, 6, 7, 3, 4, 5, 6));
}

struct LeftAlone {
  const char* kind;
  std::vector<std::string> files;
};

class FilesThatAreNoImages : public ImageFolderTest,
                             public testing::WithParamInterface<LeftAlone> {};

TEST_P(FilesThatAreNoImages, AreIgnored) {
  WriteDots("train", {"a", "b"});
  for (const std::string& file : GetParam().files) Write(absl::StrCat("train/", file), "no image");
  const auto table = ReadImageFolder(Dots());
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.class_names(), ElementsAre("a", "b"));
  EXPECT_EQ(table->examples, 2);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FilesThatAreNoImages,
                         testing::Values(LeftAlone{"Hidden", {".cache/x", "a/.DS_Store"}},
                                         LeftAlone{"BesideTheFolders", {"LICENSE.txt"}},
                                         LeftAlone{
                                             "LeftBySystems",
                                             {"a/Thumbs.db", "a/desktop.ini", "a/ehthumbs.db",
                                              "a/Icon\r", "__MACOSX/._a.png", "b/@eaDir/a.png"}}),
                         [](const auto& info) { return std::string(info.param.kind); });

TEST_F(ImageFolderTest, FilesNamedAsNoImagesAreLeftOutWithASentence) {
  WriteDots("train", {"a", "b"});
  Write("train/a/labels.csv", "a,b");
  Write("train/b/notes.TXT", "no image");
  Write("train/c.png", "an image without a class");
  const auto table = ReadImageFolder(Dots());
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->examples, 2);
  EXPECT_THAT(table->warnings,
              ElementsAre(AllOf(HasSubstr("images beside the folders"), HasSubstr("train/c.png")),
                          AllOf(HasSubstr("not those of images are left out"),
                                HasSubstr("train/a/labels.csv and 1 more"))));
}

TEST_F(ImageFolderTest, AllFilesThatAreNoImagesAreNamedAtOnce) {
  WriteDots("train", {"a", "b"});
  Write("train/a/x.gif", "GIF89a");
  Write("train/b/y.png", "no image");
  const Status status = ReadImageFolder(Dots()).status();
  EXPECT_THAT(status,
              IsError(absl::StatusCode::kInvalidArgument, "2 files are not readable images: "));
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("train/a/x.gif"), HasSubstr("train/b/y.png"),
                    HasSubstr("the first file: is neither PNG nor JPEG: it is a GIF image")));
  EXPECT_THAT(ErrorRemedy(status),
              HasSubstr("for the first file: Convert it to PNG or JPEG, or move it away"));
}

TEST_F(ImageFolderTest, LinksAreFollowed) {
  WriteDots("train", {"a"});
  std::filesystem::create_directory_symlink(folder_ / "train/a", folder_ / "train/b");
  std::filesystem::create_symlink(folder_ / "train/a/a.png", folder_ / "train/a/b.png");
  const auto table = ReadImageFolder(Dots());
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->examples, 4);
  std::filesystem::create_symlink(folder_ / "nowhere", folder_ / "train/a/c.png");
  const Status dangling = ReadImageFolder(Dots()).status();
  EXPECT_THAT(dangling,
              IsError(absl::StatusCode::kInvalidArgument, "a link to a file that does not exist"));
  EXPECT_EQ(ErrorWhere(dangling), folder_ / "train/a/c.png");
}

TEST_F(ImageFolderTest, MistakesInFolders) {
  const auto said = [&](const std::string& set) { return ReadImageFolder(Dots(set)).status(); };
  WriteDots("train", {"a", "b"});
  EXPECT_THAT(said("trian"), IsError(absl::StatusCode::kNotFound, "did you mean \"train\""));
  EXPECT_THAT(said("train/a/a.png"),
              IsError(absl::StatusCode::kInvalidArgument, "is not a folder"));
  const Status flat = said("train/a");
  EXPECT_THAT(flat, IsError(absl::StatusCode::kInvalidArgument, "contains no folders"));
  EXPECT_THAT(ErrorRemedy(flat), HasSubstr("the images of each class into a folder"));
  std::filesystem::create_directories(folder_ / "train/c");
  const Status empty = said("train");
  EXPECT_THAT(empty, IsError(absl::StatusCode::kInvalidArgument,
                             "is the folder of a class, but contains no image"));
  EXPECT_EQ(ErrorWhere(empty), folder_ / "train/c");
  Write("deep/a/x/1.png", Dot(1));
  const Status deep = said("deep");
  EXPECT_THAT(deep, IsError(absl::StatusCode::kInvalidArgument, "a folder among images"));
  Write("sets/test/a/1.png", Dot(1));
  Write("sets/train/a/1.png", Dot(1));
  EXPECT_THAT(ErrorRemedy(ReadImageFolder(Dots("sets"), {}).status()),
              testing::HasSubstr("--train FOLDER --test FOLDER"));
  EXPECT_EQ(ErrorWhere(deep), folder_ / "deep/a/x");
  Write("text/a/notes", "x");
  const Status text = said("text");
  EXPECT_THAT(text, IsError(absl::StatusCode::kInvalidArgument, "is neither PNG nor JPEG"));
  EXPECT_EQ(ErrorWhere(text), folder_ / "text/a/notes");
  Write("notes/a/notes.txt", "x");
  EXPECT_THAT(said("notes"), IsError(absl::StatusCode::kInvalidArgument,
                                     "is the folder of a class, but contains no image; its files "
                                     "do not have names of images"));
  Write("latin/\xe4/1.png", Dot(1));
  EXPECT_THAT(said("latin"), IsError(absl::StatusCode::kInvalidArgument, "is not UTF-8"));
}

TEST_F(ImageFolderTest, TestSetHasClassesOfTrainingSet) {
  WriteDots("train", {"a", "b", "c"});
  const auto train = ReadImageFolder(Dots());
  DL_ASSERT_OK(train);
  WriteDots("test", {"c", "a"});
  std::filesystem::create_directories(folder_ / "test/b");
  const auto test = ReadImageFolder(Dots("test"), {.training = &train->schema});
  DL_ASSERT_OK(test);
  EXPECT_THAT(test->classes, ElementsAre(0, 2)) << "b has no example there";
  EXPECT_EQ(test->schema, train->schema);
  WriteDots("other", {"a", "d"});
  const Status other = ReadImageFolder(Dots("other"), {.training = &train->schema}).status();
  EXPECT_THAT(other, IsError(absl::StatusCode::kInvalidArgument,
                             "the training split has no class of this name"));
  EXPECT_EQ(ErrorWhere(other), folder_ / "other/d");
  EXPECT_THAT(ErrorRemedy(other), HasSubstr("a, b, c"));
  const auto larger = data::ImageFolder(folder_ / "test", 2, 1).Grey();
  EXPECT_THAT(ReadImageFolder(larger, {.training = &train->schema}).status(),
              IsError(absl::StatusCode::kInvalidArgument, "examples of 1x2x1"));
  std::filesystem::create_directories(folder_ / "none/a");
  EXPECT_THAT(ReadImageFolder(Dots("none"), {.training = &train->schema}).status(),
              IsError(absl::StatusCode::kInvalidArgument, "contains no image"));
  Schema numbers = train->schema;
  numbers.SetClasses(numbers.classes(), {});
  WriteDots("numbers", {"0", "2"});
  const auto numbered = ReadImageFolder(Dots("numbers"), {.training = &numbers});
  DL_ASSERT_OK(numbered);
  EXPECT_THAT(numbered->classes, ElementsAre(0, 2));
}

TEST_F(ImageFolderTest, UnlabeledImagesAreInFolderItself) {
  WriteDots("train", {"a", "b"});
  const auto train = ReadImageFolder(Dots());
  DL_ASSERT_OK(train);
  Write("new/2.png", Dot(8));
  Write("new/1.png", Dot(9));
  const auto table =
      ReadImageFolder(Dots("new"), {.training = &train->schema, .labels = LabelColumns::kNone});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->u8, ElementsAre(9, 8));
  EXPECT_EQ(table->schema, train->schema);
}

TEST_F(ImageFolderTest, FileIsOneImageWithoutLabel) {
  WriteDots("train", {"a", "b"});
  const auto training = ReadImageFolder(Dots(), {});
  DL_ASSERT_OK(training);
  const auto one = ReadImageFolder(Dots("train/b/a.png"),
                                   {.training = &training->schema, .labels = LabelColumns::kNone});
  DL_ASSERT_OK(one);
  EXPECT_THAT(one->u8, ElementsAre(1));
}

TEST_F(ImageFolderTest, UnstreamableImageRespectsMemory) {
  Write("train/a/1.jpg", Jpeg(Drawn(2400, 2400, 3), {.progressive = true, .quality = 30}));
  const auto source = data::ImageFolder(folder_ / "train", 4, 4);
  DL_EXPECT_OK(ReadImageFolder(source));
  const Status little = ReadImageFolder(source, {.memory = {.bytes = 1000}}).status();
  EXPECT_THAT(little, IsError(absl::StatusCode::kResourceExhausted, "interlaced or progressive"));
  EXPECT_THAT(ErrorRemedy(little), HasSubstr("--memory"));
  EXPECT_EQ(ErrorWhere(little), folder_ / "train/a/1.jpg");
  EXPECT_THAT(
      ReadImageFolder(data::ImageFolder(folder_ / "train", 2000, 2000), {.memory = {.bytes = 1000}})
          .status(),
      IsError(absl::StatusCode::kResourceExhausted, "resizing to 2000 x 2000"));
}

TEST_F(ImageFolderTest, ReadingCanBeStopped) {
  WriteDots("train", {"a", "b"});
  int asked = 0;
  ReadOptions options;
  options.may_go_on = [&] {
    return ++asked < 2 ? absl::OkStatus() : Cancelled({.message = "enough"});
  };
  EXPECT_THAT(ReadImageFolder(Dots(), options).status(),
              IsError(absl::StatusCode::kCancelled, "enough"));
}

TEST_F(ImageFolderTest, ListedFolderHasTheSchemaOfTheReadFolder) {
  WriteDots("train", {"a", "b", "c"});
  Write("train/b/z.png", Dot(7));
  const auto read = ReadImageFolder(Dots()), listed = ListImageFolder(Dots());
  DL_ASSERT_OK(read);
  DL_ASSERT_OK(listed);
  EXPECT_EQ(listed->schema, read->schema);
  EXPECT_EQ(listed->examples, 4);
  EXPECT_TRUE(listed->u8.empty());
  // An import reports images that cannot be read.
  Write("train/b/z.png", "no image");
  DL_EXPECT_OK(ListImageFolder(Dots()));
  std::filesystem::create_directories(folder_ / "none/a");
  EXPECT_THAT(ListImageFolder(Dots("none")).status(),
              IsError(absl::StatusCode::kInvalidArgument, "contains no image"));
}

// An import is reused only if no file was changed, added or renamed.
TEST_F(ImageFolderTest, FingerprintCoversEachFile) {
  WriteDots("train", {"a", "b"});
  const auto print = [&](const job::DatasetSpec& source) {
    const auto fingerprint = SourceFingerprint(source, {});
    EXPECT_TRUE(fingerprint.ok()) << fingerprint.status();
    return fingerprint.value_or("");
  };
  const std::string first = print(Dots());
  EXPECT_EQ(print(Dots()), first);
  EXPECT_NE(print(Dots().CropToAspectRatio()), first);
  Write("train/a/a.png", Png(Drawn(5, 5, 1)));
  EXPECT_NE(print(Dots()), first);
  Write("train/b/b.png", Dot(1));
  const std::string more = print(Dots());
  EXPECT_NE(more, first);
  std::filesystem::rename(folder_ / "train/b", folder_ / "train/c");
  EXPECT_NE(print(Dots()), more);
}

TEST_F(ImageFolderTest, SplitWorks) {
  for (int i = 0; i < 10; ++i)
    Write("train/" + std::string(i % 2 == 0 ? "a" : "b") + "/" + std::to_string(i) + ".png",
          Dot(static_cast<uint8_t>(i)));
  const SplitPart part{.split = {.test_fraction = 0.4, .stratified = true}, .part = Part::kTest};
  const auto table = ReadSource(Dots(), {.part = part});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->classes, ElementsAre(0, 0, 1, 1));
}

}  // namespace
}  // namespace dl::dataset
