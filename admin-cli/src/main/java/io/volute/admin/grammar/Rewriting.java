package io.volute.admin.grammar;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.Stack;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Replaces former spellings in the arguments of a command before they are parsed, so that help,
 * completion and suggestions have the present ones alone.
 */
final class Rewriting implements IParameterPreprocessor {
    private static final Pattern NAME = Pattern.compile("[A-Z]+");

    private final List<Rule> rules;

    Rewriting(List<OldSpelling> spellings) {
        rules = spellings.stream().map(Rule::of).toList();
    }

    /**
     * An option with its value, an argument, or what follows the options.
     *
     * @param option name of the option; empty for an argument
     * @param value empty if the option has none
     * @param words as they were written
     */
    private record Part(Optional<String> option, Optional<String> value, List<String> words) {}

    /** A part of a former spelling, and the names of the values in it. */
    private record Shape(Optional<String> option, Pattern value, List<String> names) {
        static Shape of(Optional<String> option, String value) {
            StringBuilder pattern = new StringBuilder();
            List<String> names = new ArrayList<>();
            Matcher matcher = NAME.matcher(value);
            int from = 0;
            while (matcher.find()) {
                pattern.append(Pattern.quote(value.substring(from, matcher.start())));
                String form =
                        switch (matcher.group()) {
                            case "BUCKET" -> "([^/]+)";
                            case "NUMBER" -> "([0-9]+)";
                            default -> "(.+)";
                        };
                pattern.append(form);
                names.add(matcher.group());
                from = matcher.end();
            }
            pattern.append(Pattern.quote(value.substring(from)));
            return new Shape(option, Pattern.compile(pattern.toString(), Pattern.DOTALL), names);
        }

        boolean matches(Part part, Map<String, String> values) {
            Matcher matcher = value.matcher(part.value().orElse(""));
            if (!option.equals(part.option()) || !matcher.matches()) {
                return false;
            }
            for (int i = 0; i < names.size(); i++) {
                values.put(names.get(i), matcher.group(i + 1));
            }
            return true;
        }
    }

    private record Rule(OldSpelling spelling, List<Shape> shapes) {
        static Rule of(OldSpelling spelling) {
            List<Shape> shapes = new ArrayList<>();
            String[] words = spelling.value().split(" ");
            for (int i = 0; i < words.length; i++) {
                if (words[i].startsWith("-")) {
                    boolean hasValue = i + 1 < words.length && !words[i + 1].startsWith("-");
                    shapes.add(Shape.of(Optional.of(words[i]), hasValue ? words[i + 1] : ""));
                    i += hasValue ? 1 : 0;
                } else {
                    shapes.add(Shape.of(Optional.empty(), words[i]));
                }
            }
            return new Rule(spelling, shapes);
        }

        /** Returns whether it can be there twice, other than the name of a command. */
        boolean isOfOption() {
            return shapes.stream().anyMatch(shape -> shape.option().isPresent());
        }

        boolean takesValueOf(String option) {
            return shapes.stream()
                    .anyMatch(
                            each ->
                                    each.option().filter(option::equals).isPresent()
                                            && !each.value().pattern().equals("\\Q\\E"));
        }

        /** Replaces the parts if all of them are there. */
        boolean applyTo(List<Part> parts) {
            Map<String, String> values = new HashMap<>();
            TreeSet<Integer> places = new TreeSet<>();
            for (Shape shape : shapes) {
                OptionalInt place =
                        IntStream.range(0, parts.size())
                                .filter(i -> !places.contains(i))
                                .filter(i -> shape.matches(parts.get(i), values))
                                .findFirst();
                if (place.isEmpty()) {
                    return false;
                }
                places.add(place.getAsInt());
            }
            List<String> words =
                    Arrays.stream(spelling.now().split(" "))
                            .map(word -> NAME.matcher(word).replaceAll(name -> value(values, name)))
                            .toList();
            places.descendingSet().forEach(i -> parts.remove(i.intValue()));
            parts.add(places.first(), new Part(Optional.of(""), Optional.empty(), words));
            return true;
        }

        private static String value(Map<String, String> values, MatchResult name) {
            return Matcher.quoteReplacement(values.getOrDefault(name.group(), name.group()));
        }
    }

    // Stack is the type of picocli.
    @Override
    @SuppressWarnings("JdkObsolete")
    public boolean preprocess(
            Stack<String> arguments, CommandSpec spec, ArgSpec none, Map<String, Object> info) {
        List<Part> parts = parts(new ArrayList<>(arguments).reversed(), spec);
        Set<String> warnings = new LinkedHashSet<>();
        for (Rule rule : rules) {
            boolean isAgain = true;
            while (isAgain && rule.applyTo(parts)) {
                isAgain = rule.isOfOption();
                warnings.add(
                        "'" + rule.spelling().value() + "' is now '" + rule.spelling().now() + "'");
            }
        }
        if (!warnings.isEmpty()) {
            arguments.clear();
            arguments.addAll(
                    parts.stream().flatMap(part -> part.words().stream()).toList().reversed());
            spec.commandLine()
                    .getErr()
                    .println("volute: old spelling: " + String.join(", ", warnings));
            spec.commandLine().getErr().flush();
        }
        return false;
    }

    private List<Part> parts(List<String> words, CommandSpec spec) {
        List<Part> parts = new ArrayList<>();
        int i = 0;
        while (i < words.size()) {
            String word = words.get(i);
            if (word.equals("--") || isSubcommand(word, spec, parts)) {
                break;
            }
            if (!word.startsWith("-") || word.length() == 1) {
                parts.add(new Part(Optional.empty(), Optional.of(word), List.of(word)));
                i++;
                continue;
            }
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            boolean isInNext =
                    equals < 0 && i + 1 < words.size() && takesNext(name, words, i, spec);
            Optional<String> value =
                    isInNext
                            ? Optional.of(words.get(i + 1))
                            : Optional.of(word.substring(equals + 1)).filter(any -> equals > 0);
            int end = isInNext ? i + 2 : i + 1;
            parts.add(new Part(Optional.of(name), value, List.copyOf(words.subList(i, end))));
            i = end;
        }
        if (i < words.size()) {
            List<String> rest = List.copyOf(words.subList(i, words.size()));
            parts.add(new Part(Optional.of("--"), Optional.empty(), rest));
        }
        return parts;
    }

    /** Returns whether a word begins the arguments of a subcommand, whose own affair they are. */
    private static boolean isSubcommand(String word, CommandSpec spec, List<Part> parts) {
        return spec.subcommands().containsKey(word)
                && parts.stream().allMatch(part -> part.option().isPresent());
    }

    private boolean takesNext(String name, List<String> words, int at, CommandSpec spec) {
        OptionSpec option = spec.optionsMap().get(name);
        if (option != null && option.arity().min() > 0) {
            return true;
        }
        // An optional value is none that looks like an option, but -2h is one.
        boolean isPossible = !words.get(at + 1).startsWith("--");
        return isPossible && rules.stream().anyMatch(rule -> rule.takesValueOf(name))
                || option != null && option.arity().max() > 0 && !words.get(at + 1).startsWith("-");
    }
}
