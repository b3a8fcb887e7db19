package io.volute.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that comments and type names follow the writing rules. */
class CommentsTest {
    private static final Pattern COMMENT =
            Pattern.compile("^\\s*(/\\*\\*|\\*|//)\\s+(.*?)\\s*(\\*/)?$");
    private static final Pattern CODE = Pattern.compile("\\{@\\w+ [^}]*}|`[^`]*`|@\\w+ \\S+");

    /** Names that hide the role of a type: participles, adjectives and images. */
    private static final Pattern TYPE_NAME =
            Pattern.compile(
                    ".*\\b(class|interface|record|enum) (Told|Shown|Unkept|Forgotten|Written"
                            + "|Through|Unsigned|Nearest|Touches|Doubts|Deeds|Grounds"
                            + "|Letters|Roster|Closings|Surroundings|Turnaway|Linger"
                            + "|NoRoom|Crew|Parts)\\b.*");

    private static List<String> breaches(Path root) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path source : RepositoryFiles.below(root, ".java")) {
            List<String> lines = Files.readAllLines(source);
            for (int i = 0; i < lines.size(); i++) {
                String place = root.relativize(source) + ":" + (i + 1) + ": ";
                breaches(lines.get(i)).forEach(each -> found.add(place + each));
            }
        }
        return found;
    }

    private static List<String> breaches(String line) {
        Matcher comment = COMMENT.matcher(line);
        if (!comment.matches()) {
            return TYPE_NAME.matcher(line).matches()
                    ? List.of("a type name that does not say its role")
                    : List.of();
        }
        List<String> found = new ArrayList<>();
        if (comment.group(1).equals("/**") && PlainProse.isFragment(comment.group(2))) {
            found.add("Javadoc begins with a fragment");
        }
        found.addAll(PlainProse.breaches(CODE.matcher(comment.group(2)).replaceAll("")));
        return found;
    }

    @Test
    void commentsArePlain() throws IOException {
        assertThat(breaches(RepositoryFiles.root())).isEmpty();
    }

    @Test
    void findsWhatIsWrong(@TempDir Path directory) throws IOException {
        Files.writeString(
                directory.resolve("A.java"),
                "/** Of the log. */\nclass Told {}\n// It tells him.\n * "
                        + "w ".repeat(33)
                        + "\nString text = \"he says\";\n");
        assertThat(breaches(directory))
                .containsExactlyInAnyOrder(
                        "A.java:1: Javadoc begins with a fragment",
                        "A.java:2: a type name that does not say its role",
                        "A.java:3: verb of speech for data flow",
                        "A.java:3: gender of a person",
                        "A.java:4: sentence of 33 words");
    }
}
