package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.json.Json;
import io.volute.system.ContainerEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What {@code docker/} has for Prometheus and Grafana, and the names of docs/reference/metrics.md.
 */
final class MonitoringFiles {
    private static final Pattern ALERT = Pattern.compile("\\s+- alert: (\\w+)");
    private static final Pattern FIELD =
            Pattern.compile("\\s+(expr|severity|summary|description): \"?(.*?)\"?");

    /** A name that is no function's, and the labels it is picked by. */
    private static final Pattern SELECTOR =
            Pattern.compile("\\b([a-zA-Z_:][\\w:]*)\\b(?!\\s*\\()(?:\\{([^}]*)})?");

    private static final Pattern GROUPING =
            Pattern.compile("\\b(?:by|on|ignoring|without)\\s*\\(([^)]*)\\)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)");
    private static final Set<String> WORDS = Set.of("and", "or", "unless", "offset", "bool");

    private MonitoringFiles() {}

    /** A query and where it stands. */
    record Query(String where, String expression) {}

    static Path file(String name) {
        return ContainerEngine.repository().resolve("docker").resolve(name);
    }

    /** Grafana's dashboards by file name. */
    static Map<String, Map<String, Object>> dashboards() throws IOException {
        Map<String, Map<String, Object>> found = new TreeMap<>();
        try (Stream<Path> files = Files.list(file("grafana/dashboards"))) {
            for (Path each : files.toList()) {
                found.put(each.getFileName().toString(), Json.read(Files.readAllBytes(each)));
            }
        }
        return found;
    }

    /** Returns the named list of objects in a document, or an empty list if there is none. */
    @SuppressWarnings("unchecked") // Json makes maps of names only
    static List<Map<String, Object>> objects(Map<String, Object> document, String name) {
        return (List<Map<String, Object>>) document.getOrDefault(name, List.of());
    }

    /** Fields of the alert rules by name of the alert; each stands on one line of the file. */
    static Map<String, Map<String, String>> alerts() throws IOException {
        Map<String, Map<String, String>> alerts = new TreeMap<>();
        Map<String, String> current = new TreeMap<>();
        for (String line : Files.readAllLines(file("prometheus/alerts.yml"))) {
            Matcher alert = ALERT.matcher(line);
            Matcher field = FIELD.matcher(line);
            if (alert.matches()) {
                current = new TreeMap<>();
                assertThat(alerts.put(alert.group(1), current)).as(line).isNull();
            } else if (field.matches()) {
                current.put(field.group(1), field.group(2));
            }
        }
        return alerts;
    }

    static List<Query> alertQueries() throws IOException {
        return alerts().entrySet().stream()
                .map(each -> new Query(each.getKey(), each.getValue().getOrDefault("expr", "")))
                .toList();
    }

    /** Queries of panels and of annotations. */
    static List<Query> dashboardQueries() throws IOException {
        List<Query> queries = new ArrayList<>();
        dashboards()
                .forEach(
                        (file, dashboard) -> {
                            for (Map<String, Object> panel : objects(dashboard, "panels")) {
                                for (Map<String, Object> target : objects(panel, "targets")) {
                                    queries.add(
                                            new Query(
                                                    file + ": " + panel.get("title"),
                                                    (String) target.get("expr")));
                                }
                            }
                            for (Map<String, Object> mark : annotations(dashboard)) {
                                queries.add(
                                        new Query(
                                                file + ": " + mark.get("name"),
                                                (String) mark.get("expr")));
                            }
                        });
        return queries;
    }

    @SuppressWarnings("unchecked") // Json makes maps of names only
    static List<Map<String, Object>> annotations(Map<String, Object> dashboard) {
        return objects((Map<String, Object>) dashboard.get("annotations"), "list");
    }

    /** Labels by name as a scrape has them: those of histograms with their suffixes. */
    static Map<String, Set<String>> documented() throws IOException {
        Map<String, Set<String>> names = new TreeMap<>();
        Path document = ContainerEngine.repository().resolve("docs/reference/metrics.md");
        for (String line : Files.readAllLines(document)) {
            if (line.startsWith("| `")) {
                String[] cells = line.split(" ?\\| ?", -1);
                String name = cells[1].replace("`", "");
                Set<String> labels = labels(cells[3].split("[`, ]+"));
                switch (cells[2]) {
                    case "histogram" -> {
                        names.put(name + "_sum", labels);
                        names.put(name + "_count", labels);
                        Set<String> withBound = new TreeSet<>(labels);
                        withBound.add("le");
                        names.put(name + "_bucket", withBound);
                    }
                    case "summary" -> {
                        names.put(name + "_sum", labels);
                        names.put(name + "_count", labels);
                    }
                    default -> names.put(name, labels);
                }
            }
        }
        // Prometheus' own.
        names.put("up", labels());
        names.put("ALERTS", labels("alertname", "alertstate", "severity"));
        return names;
    }

    /** Those given, and what Prometheus adds to everything that it scrapes. */
    private static Set<String> labels(String... given) {
        return Stream.concat(Arrays.stream(given), Stream.of("instance", "job"))
                .filter(each -> !each.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the names in a query that are not documented metrics or their labels. */
    static Set<String> unknownIn(String expression, Map<String, Set<String>> documented) {
        Set<String> unknown = new TreeSet<>();
        Set<String> labels = new TreeSet<>();
        String plain = expression.replaceAll("\"[^\"]*\"", "\"\"").replaceAll("\\[[^\\]]*]", "");
        Matcher selector = SELECTOR.matcher(GROUPING.matcher(plain).replaceAll(" "));
        while (selector.find()) {
            String name = selector.group(1);
            if (documented.containsKey(name)) {
                labels.addAll(documented.get(name));
                Matcher label = LABEL.matcher(Objects.requireNonNullElse(selector.group(2), ""));
                while (label.find()) {
                    if (!documented.get(name).contains(label.group(1))) {
                        unknown.add(name + "{" + label.group(1) + "}");
                    }
                }
            } else if (!WORDS.contains(name)) {
                unknown.add(name);
            }
        }
        Matcher grouping = GROUPING.matcher(plain);
        while (grouping.find()) {
            for (String each : grouping.group(1).split(",")) {
                if (!labels.contains(each.strip())) {
                    unknown.add("by " + each.strip());
                }
            }
        }
        return unknown;
    }
}
