package io.volute.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of metrics, taken apart. */
record Scrape(Map<String, Metric> metrics, Map<String, Double> samples) {
    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
    private static final Pattern HELP = Pattern.compile("# HELP (\\S+) (\\S.*)");
    private static final Pattern SAMPLE = Pattern.compile("([a-z0-9_]+)(\\{(.*)\\})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-z]+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /**
     * A metric.
     *
     * @param labels that any of its samples has, but for buckets' bounds
     */
    record Metric(String type, Set<String> labels, boolean hasHelp) {}

    static Scrape of(String page) {
        Map<String, String> types = new TreeMap<>();
        Set<String> helps = new TreeSet<>();
        Map<String, Set<String>> labels = new TreeMap<>();
        Map<String, Double> samples = new TreeMap<>();
        for (String line : page.lines().toList()) {
            Matcher type = TYPE.matcher(line);
            Matcher help = HELP.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (type.matches()) {
                assertThat(types.put(type.group(1), type.group(2))).as(line).isNull();
            } else if (help.matches()) {
                helps.add(help.group(1));
            } else if (sample.matches()) {
                samples.put(line.substring(0, line.lastIndexOf(' ')), value(sample.group(4)));
                Set<String> names =
                        labels.computeIfAbsent(base(sample.group(1), types), n -> new TreeSet<>());
                Matcher label = LABEL.matcher(sample.group(3) == null ? "" : sample.group(3));
                while (label.find()) {
                    if (!label.group(1).equals("le")) {
                        names.add(label.group(1));
                    }
                }
            } else {
                throw new AssertionError("not Prometheus' format: " + line);
            }
        }
        Map<String, Metric> metrics = new TreeMap<>();
        types.forEach(
                (name, type) ->
                        metrics.put(
                                name,
                                new Metric(
                                        type,
                                        labels.getOrDefault(name, Set.of()),
                                        helps.contains(name))));
        return new Scrape(metrics, samples);
    }

    private static double value(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    private static String base(String sample, Map<String, String> types) {
        for (String suffix : new String[] {"_bucket", "_count", "_sum"}) {
            if (sample.endsWith(suffix)) {
                String name = sample.substring(0, sample.length() - suffix.length());
                if (types.containsKey(name)) {
                    return name;
                }
            }
        }
        return sample;
    }

    /** The value of a sample, given as the page has it. */
    double get(String sample) {
        Double value = samples.get(sample);
        if (value == null) {
            throw new AssertionError(sample + " is not among " + samples.keySet());
        }
        return value;
    }
}
