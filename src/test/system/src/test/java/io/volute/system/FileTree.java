package io.volute.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A tree of files of many sizes and names, and the comparison of two. */
public final class FileTree {
    private static final String[] DIRECTORIES = {
        "", "src/", "src/main/", "docs and more/", "données/", "a+b/", "deep/er/and/deep/er/"
    };

    private FileTree() {}

    /** Makes {@code files} files; the largest are big enough for clients to split them. */
    public static void make(Path root, int files, long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < files; i++) {
            String directory = DIRECTORIES[random.nextInt(DIRECTORIES.length)];
            int length = i < 2 ? (9 << 20) + random.nextInt(1 << 20) : length(random);
            Path file = root.resolve(directory + "file %d=%%.txt".formatted(i));
            Files.createDirectories(file.getParent());
            Files.write(file, Bytes.random(seed * 31 + i, length));
        }
    }

    private static int length(SplittableRandom random) {
        return switch (random.nextInt(10)) {
            case 0 -> 0;
            case 1, 2, 3, 4 -> random.nextInt(2_000);
            case 5, 6, 7 -> random.nextInt(30_000);
            case 8 -> random.nextInt(200_000);
            default -> random.nextInt(600_000);
        };
    }

    /** Checks, as {@code diff -r} does, that both trees have the same names with the same bytes. */
    public static void assertSame(Path expected, Path actual) throws IOException {
        TreeMap<String, Path> left = files(expected);
        TreeMap<String, Path> right = files(actual);
        assertThat(right.keySet()).isEqualTo(left.keySet());
        for (String name : left.keySet()) {
            assertThat(
                            Arrays.equals(
                                    Files.readAllBytes(left.get(name)),
                                    Files.readAllBytes(right.get(name))))
                    .as(name)
                    .isTrue();
        }
    }

    private static TreeMap<String, Path> files(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            List<Path> files = all.filter(Files::isRegularFile).toList();
            TreeMap<String, Path> names = new TreeMap<>();
            files.forEach(file -> names.put(root.relativize(file).toString(), file));
            return names;
        }
    }
}
