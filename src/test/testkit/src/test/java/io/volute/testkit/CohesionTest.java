package io.volute.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that packages are rooms: none is an annex of its only client, no two use each other, and
 * types are public only for other packages. There is no limit of lines or files.
 */
class CohesionTest {
    private static final Pattern SOURCE = Pattern.compile("(.+)/src/main/java/(.+)/(\\w+)\\.java");
    private static final Pattern USE = Pattern.compile("\\b(io\\.volute(?:\\.[a-z]\\w*)*)\\.[A-Z]");
    private static final Pattern COMMENT_OR_TEXT =
            Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*|\"(?:[^\"\\\\\n]|\\\\.)*+\"");
    private static final Pattern PUBLIC =
            Pattern.compile(
                    "^public (?:(?:final|sealed|non-sealed|abstract) )*"
                            + "(?:class|interface|enum|record|@interface) ",
                    Pattern.MULTILINE);

    /** A package with fewer types and one client belongs into that client. */
    private static final int TYPES_OF_A_ROOM = 4;

    /** The demonstration is a room by its purpose; the root command is the client of all rooms. */
    private static final Set<String> SMALL_ROOMS = Set.of("io.volute.admin.demo");

    /** Factories that open all parts of their module, and so reach up from its root package. */
    private static final Set<String> FACTORIES = Set.of("Cubes", "ObjectStores", "Server");

    /** Most public types of each module. A larger number needs a reason in its commit. */
    private static final Map<String, Integer> PUBLIC_TYPES =
            Map.ofEntries(
                    Map.entry("admin-api", 31),
                    Map.entry("admin-cli", 79),
                    Map.entry("bookkeeper", 9),
                    Map.entry("distribution", 5),
                    Map.entry("provenance", 87),
                    Map.entry("server", 241),
                    Map.entry("server/app", 39),
                    Map.entry("server/cluster", 25),
                    Map.entry("server/delivery", 22),
                    Map.entry("storage-core", 154),
                    Map.entry("storage-io", 8),
                    Map.entry("versioning", 182));

    /** The sources of the modules of the product. */
    private static final class Sources {
        final Map<String, Integer> publicTypes = new TreeMap<>();
        final Map<String, Set<String>> types = new TreeMap<>();
        final Map<String, Set<String>> uses = new TreeMap<>();
        final Map<String, Set<String>> clients = new TreeMap<>();

        Sources(Path root, Set<String> modules) throws IOException {
            for (Path source : RepositoryFiles.below(root, ".java")) {
                Matcher name = SOURCE.matcher(root.relativize(source).toString());
                if (name.matches()
                        && modules.contains(name.group(1))
                        && !name.group(3).equals("package-info")) {
                    add(name.group(1), name.group(2).replace('/', '.'), source, name.group(3));
                }
            }
        }

        private void add(String module, String own, Path source, String type) throws IOException {
            String text = COMMENT_OR_TEXT.matcher(Files.readString(source)).replaceAll("");
            types.computeIfAbsent(own, same -> new TreeSet<>()).add(type);
            publicTypes.merge(module, PUBLIC.matcher(text).find() ? 1 : 0, Integer::sum);
            Matcher use = USE.matcher(text);
            while (use.find()) {
                String used = use.group(1);
                if (!used.equals(own)) {
                    clients.computeIfAbsent(used, same -> new TreeSet<>()).add(own);
                    if (!FACTORIES.contains(type)) {
                        uses.computeIfAbsent(own, same -> new TreeSet<>()).add(used);
                    }
                }
            }
        }

        List<String> annexes() {
            List<String> annexes = new ArrayList<>();
            types.forEach(
                    (name, members) -> {
                        if (members.size() < TYPES_OF_A_ROOM
                                && clients.getOrDefault(name, Set.of()).size() == 1
                                && !SMALL_ROOMS.contains(name)) {
                            annexes.add(name + " of " + clients.get(name));
                        }
                    });
            return annexes;
        }

        /** Returns the packages that reach themselves by the uses of others. */
        List<String> circles() {
            return uses.keySet().stream().filter(each -> reaches(each, each)).toList();
        }

        private boolean reaches(String from, String to) {
            Set<String> seen = new HashSet<>();
            List<String> open = new ArrayList<>(uses.get(from));
            while (!open.isEmpty()) {
                String next = open.removeLast();
                if (next.equals(to)) {
                    return true;
                }
                if (seen.add(next)) {
                    open.addAll(uses.getOrDefault(next, Set.of()));
                }
            }
            return false;
        }
    }

    private static Sources product() throws IOException {
        return new Sources(RepositoryFiles.root(), PUBLIC_TYPES.keySet());
    }

    @Test
    void noPackageIsAnAnnexOfItsOnlyClient() throws IOException {
        assertThat(product().annexes()).isEmpty();
    }

    @Test
    void noPackagesUseEachOther() throws IOException {
        assertThat(product().circles()).isEmpty();
    }

    @Test
    void aModuleHasNoMorePublicTypesThanItsBudget() throws IOException {
        assertThat(product().publicTypes)
                .allSatisfy(
                        (module, count) ->
                                assertThat(count)
                                        .as(module)
                                        .isLessThanOrEqualTo(PUBLIC_TYPES.get(module)));
    }

    @Test
    void findsAnnexesCirclesAndPublicTypes(@TempDir Path root) throws IOException {
        write(root, "a", "One", "import io.volute.b.Two;\npublic final class One {}");
        write(root, "b", "Two", "public record Two(io.volute.c.Three three) {}");
        write(root, "c", "Three", "record Three(io.volute.a.One one) {}");
        write(root, "d", "Server", "import io.volute.a.One;\nclass Server {}");
        write(root, "a", "Four", "/** As {@link io.volute.d.Server}. */\nclass Four {}");
        Sources sources = new Sources(root, Set.of("m"));
        assertThat(sources.annexes())
                .containsExactly("io.volute.b of [io.volute.a]", "io.volute.c of [io.volute.b]");
        assertThat(sources.circles()).containsExactly("io.volute.a", "io.volute.b", "io.volute.c");
        assertThat(sources.publicTypes).isEqualTo(Map.of("m", 2));
    }

    private static void write(Path root, String name, String type, String text) throws IOException {
        Path directory = Files.createDirectories(root.resolve("m/src/main/java/io/volute/" + name));
        Files.writeString(directory.resolve(type + ".java"), text + "\n");
    }
}
