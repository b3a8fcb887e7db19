package io.volute.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that docs/design/memory.md lists each collection of the server that can outlive a request,
 * with the bound of its bytes. Such are fields that hold a queue, a cache or a concurrent
 * collection, and collections of classes that have a lock or are thread-safe.
 */
class MemoryTest {
    private static final Pattern SERVER =
            Pattern.compile(
                    "(storage-io|storage-core|bookkeeper|versioning"
                            + "|server(/delivery|/app|/cluster)?)/src/main/java/.*");

    private static final Pattern FIELD =
            Pattern.compile(
                    "^ {4,8}((?:(?:private|protected|public|final|static|volatile) )+)"
                            + "((?:\\w+\\.)?\\w*(?:Map|Queue|Deque|Set|List|Collection|Cache)"
                            + "<[^=;()]*>)\\s+(\\w+)\\s*(=[^;]*)?;",
                    Pattern.MULTILINE);

    private static final Pattern WAITING =
            Pattern.compile("Concurrent|CopyOnWrite|Queue|Deque|Cache|Blocking");
    private static final Pattern MADE =
            Pattern.compile(
                    "=\\s*(new |\\w+\\.newKeySet|Collections\\.synchronized).*", Pattern.DOTALL);
    private static final Pattern SHARED =
            Pattern.compile("ReentrantLock|StampedLock|synchronized|Thread-safe|Condition\\b");
    private static final Pattern LISTED = Pattern.compile("`([A-Z]\\w+\\.\\w+)`");

    @Test
    void eachCollectionThatStaysHasABound() throws IOException {
        Path root = RepositoryFiles.root();
        SortedSet<String> listed =
                LISTED.matcher(Files.readString(root.resolve("docs/design/memory.md")))
                        .results()
                        .map(match -> match.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
        SortedSet<String> found = found(root);
        assertThat(found)
                .as("a collection that stays: weigh it, and add it to docs/design/memory.md")
                .isSubsetOf(listed);
        assertThat(listed)
                .as("docs/design/memory.md lists a collection that is not there")
                .isSubsetOf(found);
    }

    @Test
    void findsWhatStays(@TempDir Path directory) throws IOException {
        Path main = Files.createDirectories(directory.resolve("server/src/main/java/p"));
        Files.writeString(
                main.resolve("Waiting.java"),
                "class Waiting {\n    private final Map<A, B> a = new ConcurrentHashMap<>();\n}\n");
        Files.writeString(
                main.resolve("Locked.java"),
                "class Locked {\n    private final Object lock = new ReentrantLock();\n"
                        + "    private final Map<A,\n            B> b = new HashMap<>();\n"
                        + "    private static final List<A> FIXED = List.of();\n}\n");
        Files.writeString(
                main.resolve("Passing.java"),
                "class Passing {\n    private final List<A> c = new ArrayList<>();\n}\n");
        Files.writeString(
                main.resolve("Given.java"),
                "class Given {\n    private final WeighedCache<A, B> d;\n}\n");
        assertThat(found(directory)).containsExactly("Given.d", "Locked.b", "Waiting.a");
    }

    private static SortedSet<String> found(Path root) throws IOException {
        SortedSet<String> found = new TreeSet<>();
        List<Path> sources = RepositoryFiles.below(root, ".java");
        for (Path source : sources) {
            if (SERVER.matcher(root.relativize(source).toString()).matches()) {
                String text = Files.readString(source);
                boolean isShared = SHARED.matcher(text).find();
                String type = source.getFileName().toString().replace(".java", "");
                Matcher field = FIELD.matcher(text);
                while (field.find()) {
                    if (stays(field, isShared)) {
                        found.add(type + "." + field.group(3));
                    }
                }
            }
        }
        return found;
    }

    private static boolean stays(Matcher field, boolean isShared) {
        String value = field.group(4) == null ? "" : field.group(4);
        boolean isMade = MADE.matcher(value).matches();
        if (field.group(1).contains("static final") && !isMade) {
            return false;
        }
        return WAITING.matcher(field.group(2) + value).find() || isMade && isShared;
    }
}
