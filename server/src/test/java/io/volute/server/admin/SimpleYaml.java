package io.volute.server.admin;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parser for the subset of YAML in the description of the admin API: blocks and flows of maps and
 * lists, texts with quotes and without, texts of several lines. All values are texts. Other syntax
 * is an error.
 */
final class SimpleYaml {
    private static final Pattern ENTRY =
            Pattern.compile("(\"[^\"]*\"|'[^']*'|[^\\s:\"'{\\[][^:]*):(?: +(.*))?");
    private static final String ITEM = "- ";

    private final Deque<Line> lines = new ArrayDeque<>();

    private record Line(int indent, String text) {}

    private SimpleYaml(List<String> all) {
        for (String each : all) {
            if (!each.isBlank()) {
                lines.add(new Line(each.length() - each.stripLeading().length(), each.strip()));
            }
        }
    }

    static Map<String, Object> read(List<String> lines) {
        SimpleYaml yaml = new SimpleYaml(lines);
        Map<String, Object> document = OpenApi.map(yaml.block());
        yaml.require(yaml.lines.isEmpty(), "the end");
        return document;
    }

    private void require(boolean isMet, String wanted) {
        if (!isMet) {
            throw new AssertionError(wanted + " was expected before: " + lines.peek());
        }
    }

    private boolean isWithin(int indent) {
        return !lines.isEmpty() && lines.peek().indent() == indent;
    }

    private boolean isDeeper(int indent) {
        return !lines.isEmpty() && lines.peek().indent() > indent;
    }

    private Object block() {
        Line first = lines.element();
        if (first.text().startsWith("{") || first.text().startsWith("[")) {
            return flow(lines.remove().text());
        }
        return first.text().startsWith(ITEM) ? items(first.indent()) : entries(first.indent());
    }

    private List<Object> items(int indent) {
        List<Object> items = new ArrayList<>();
        while (isWithin(indent) && lines.element().text().startsWith(ITEM)) {
            String item = lines.remove().text().substring(ITEM.length());
            if (ENTRY.matcher(item).matches()) {
                // A map, whose first entry stands beside the dash.
                lines.addFirst(new Line(indent + ITEM.length(), item));
                items.add(block());
            } else {
                items.add(flow(item));
            }
        }
        return items;
    }

    private Map<String, Object> entries(int indent) {
        Map<String, Object> entries = new LinkedHashMap<>();
        while (isWithin(indent)) {
            Matcher entry = ENTRY.matcher(lines.element().text());
            require(entry.matches(), "an entry");
            lines.remove();
            String value = entry.group(2);
            Object before = entries.put(unquoted(entry.group(1)), value(value, indent));
            require(before == null, "another name than " + entry.group(1));
        }
        require(!isDeeper(indent), "an entry less deep");
        return entries;
    }

    private Object value(String text, int indent) {
        if (text == null) {
            require(isDeeper(indent), "a value");
            return block();
        }
        if (!text.equals("|")) {
            return flow(text);
        }
        StringBuilder several = new StringBuilder();
        while (isDeeper(indent)) {
            several.append(lines.remove().text()).append('\n');
        }
        return several.toString();
    }

    private static Object flow(String text) {
        boolean isFlow = text.startsWith("{") || text.startsWith("[");
        return isFlow ? new Flow(text).whole() : unquoted(text);
    }

    private static String unquoted(String text) {
        boolean isQuoted = text.startsWith("\"") || text.startsWith("'");
        return isQuoted ? text.substring(1, text.length() - 1) : text;
    }

    /** A value on one line. */
    private static final class Flow {
        private final String text;
        private int at;

        Flow(String text) {
            this.text = text;
        }

        Object whole() {
            Object value = value();
            require(at == text.length(), "the end");
            return value;
        }

        private void require(boolean isMet, String wanted) {
            if (!isMet) {
                throw new AssertionError(wanted + " was expected at " + at + " of: " + text);
            }
        }

        private boolean takes(char wanted) {
            while (at < text.length() && text.charAt(at) == ' ') {
                at++;
            }
            boolean isThere = at < text.length() && text.charAt(at) == wanted;
            at += isThere ? 1 : 0;
            return isThere;
        }

        private Object value() {
            if (takes('{')) {
                Map<String, Object> map = new LinkedHashMap<>();
                while (!takes('}')) {
                    String name = word(":");
                    require(takes(':'), "a colon");
                    map.put(name, value());
                    require(takes(',') || text.charAt(at) == '}', "a comma");
                }
                return map;
            }
            if (takes('[')) {
                List<Object> list = new ArrayList<>();
                while (!takes(']')) {
                    list.add(value());
                    require(takes(',') || text.charAt(at) == ']', "a comma");
                }
                return list;
            }
            return word(",]}");
        }

        private String word(String ends) {
            for (char quote : new char[] {'"', '\''}) {
                if (takes(quote)) {
                    int end = text.indexOf(quote, at);
                    require(end >= 0, "the other quote");
                    String word = text.substring(at, end);
                    at = end + 1;
                    return word;
                }
            }
            int begin = at;
            while (at < text.length() && ends.indexOf(text.charAt(at)) < 0) {
                at++;
            }
            return text.substring(begin, at).strip();
        }
    }
}
