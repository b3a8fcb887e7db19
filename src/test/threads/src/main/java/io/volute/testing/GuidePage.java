package io.volute.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of the documents with its shell commands. A block of commands is indented by four columns,
 * or a fence without a language or of {@code sh}. The comment {@code <!-- not run: REASON -->}
 * before a block excludes it from runs. Immutable.
 *
 * @param blocks in the order of the page
 * @param inline texts in back quotes that begin with {@code volute}
 */
public record GuidePage(Path file, List<Block> blocks, List<Line> inline) {
    private static final Pattern NOT_RUN = Pattern.compile("<!-- not run: (.*?) -->");
    private static final Pattern INLINE = Pattern.compile("`((?:\\./)?volute [^`]*)`");
    private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*=.*");

    /** Words of a shell before a command. */
    private static final Set<String> BEFORE =
            Set.of("sudo", "exec", "do", "then", "else", "if", "while", "until", "!", "{", "(");

    public GuidePage {
        blocks = List.copyOf(blocks);
        inline = List.copyOf(inline);
    }

    /**
     * A block of shell text.
     *
     * @param line number of its first line
     * @param notRun reason for not running it; empty if it can be run
     */
    public record Block(int line, String text, Optional<String> notRun) {}

    /**
     * A command of {@code volute}.
     *
     * @param line number of the first line of its block
     * @param words those behind {@code volute}
     */
    public record Line(int line, List<String> words) {
        public Line {
            words = List.copyOf(words);
        }
    }

    /** Reads a page. */
    public static GuidePage read(Path file) throws IOException {
        List<Block> blocks = new ArrayList<>();
        List<Line> inline = new ArrayList<>();
        StringBuilder block = new StringBuilder();
        Optional<String> notRun = Optional.empty();
        StringBuilder comment = new StringBuilder();
        String fence = "";
        int begin = 0;
        boolean isInBlock = false;
        boolean wasBlank = true;
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.add("end");
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (!fence.isEmpty()) {
                if (line.startsWith("```")) {
                    if (fence.equals("```") || fence.equals("```sh")) {
                        blocks.add(new Block(begin, block.toString(), notRun));
                        notRun = Optional.empty();
                    }
                    block.setLength(0);
                    fence = "";
                } else {
                    block.append(line).append('\n');
                }
                continue;
            }
            boolean isIndented = line.startsWith("    ") && (isInBlock || wasBlank);
            if (isInBlock && !isIndented && !line.isBlank()) {
                blocks.add(new Block(begin, block.toString(), notRun));
                notRun = Optional.empty();
                block.setLength(0);
                isInBlock = false;
            }
            if (line.startsWith("```")) {
                fence = line.strip();
                begin = i + 2;
            } else if (isIndented) {
                begin = isInBlock ? begin : i + 1;
                isInBlock = true;
                block.append(line.substring(4)).append('\n');
            } else if (isInBlock && line.isBlank()) {
                block.append('\n');
            } else {
                Matcher commands = INLINE.matcher(line);
                while (commands.find()) {
                    inline.add(new Line(i + 1, words(commands.group(1)).getFirst()));
                }
                comment.append(line).append(' ');
                Matcher mark = NOT_RUN.matcher(comment);
                while (mark.find()) {
                    notRun = Optional.of(mark.group(1));
                }
                if (!line.contains("<!--") && comment.indexOf("<!--") < 0
                        || comment.indexOf("-->") >= 0) {
                    comment.setLength(0);
                }
            }
            wasBlank = line.isBlank();
        }
        return new GuidePage(file, blocks, inline);
    }

    /** Returns the commands of {@code volute} in all blocks. */
    public List<Line> commands() {
        List<Line> all = new ArrayList<>();
        for (Block block : blocks) {
            for (List<String> words : words(block.text())) {
                int at = 0;
                while (at < words.size()
                        && (BEFORE.contains(words.get(at))
                                || ASSIGNMENT.matcher(words.get(at)).matches())) {
                    at++;
                }
                if (at + 1 < words.size() && Path.of(words.get(at)).endsWith("volute")) {
                    all.add(new Line(block.line(), words.subList(at + 1, words.size())));
                }
            }
        }
        return all;
    }

    /**
     * Returns the words of each simple command of a shell text. Quotation marks are removed, and
     * expansions stay as they are written. Redirections are left out.
     */
    static List<List<String>> words(String text) {
        List<List<String>> commands = new ArrayList<>();
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean isWord = false;
        boolean isTarget = false;
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length()) {
                if (text.charAt(i + 1) != '\n') {
                    word.append(text.charAt(i + 1));
                    isWord = true;
                }
                i += 2;
                continue;
            }
            if (c == '\'' || c == '"') {
                int end = text.indexOf(c, i + 1);
                end = end < 0 ? text.length() : end;
                word.append(text, i + 1, end);
                isWord = true;
                i = end + 1;
                continue;
            }
            if (c == '$' && text.startsWith("$(", i)) {
                int end = closing(text, i + 2);
                word.append("$(...)");
                isWord = true;
                i = end;
                continue;
            }
            boolean isComment = c == '#' && !isWord;
            boolean isEnd = isComment || "\n;|&()".indexOf(c) >= 0;
            boolean isRedirection = c == '>' || c == '<';
            if (isEnd || isRedirection || Character.isWhitespace(c)) {
                if (isWord && !isTarget && !(isRedirection && word.toString().matches("\\d"))) {
                    words.add(word.toString());
                }
                isTarget = isRedirection || isTarget && !isWord && !isEnd;
                word.setLength(0);
                isWord = false;
                if (isEnd && !words.isEmpty()) {
                    commands.add(List.copyOf(words));
                    words.clear();
                }
                if (isComment) {
                    int end = text.indexOf('\n', i);
                    i = end < 0 ? text.length() : end;
                    continue;
                }
            } else {
                word.append(c);
                isWord = true;
            }
            i++;
        }
        if (isWord && !isTarget) {
            words.add(word.toString());
        }
        if (!words.isEmpty()) {
            commands.add(List.copyOf(words));
        }
        return commands;
    }

    private static int closing(String text, int from) {
        int depth = 1;
        int i = from;
        while (i < text.length() && depth > 0) {
            depth += text.charAt(i) == '(' ? 1 : text.charAt(i) == ')' ? -1 : 0;
            i++;
        }
        return i;
    }

    /** Returns the pages of the guide and the front page, by name. */
    public static List<GuidePage> all() throws IOException {
        Path root = root();
        List<Path> files = new ArrayList<>(List.of(root.resolve("README.md")));
        try (Stream<Path> guide = Files.list(root.resolve("docs/guide"))) {
            guide.filter(each -> each.toString().endsWith(".md")).sorted().forEach(files::add);
        }
        List<GuidePage> pages = new ArrayList<>();
        for (Path file : files) {
            pages.add(read(file));
        }
        return pages;
    }

    /** Returns the page of a name of the guide, such as {@code history.md}. */
    public static GuidePage ofGuide(String name) throws IOException {
        return read(root().resolve("docs/guide").resolve(name));
    }

    private static Path root() {
        return Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
                .takeWhile(each -> each != null)
                .filter(each -> Files.exists(each.resolve("docs/guide")))
                .findFirst()
                .orElseThrow();
    }
}
