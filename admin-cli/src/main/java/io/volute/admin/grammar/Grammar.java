package io.volute.admin.grammar;

import io.volute.admin.client.CommandContext;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The rules for all commands: types of values, former spellings and examples. */
public final class Grammar {
    private static final String EXAMPLES = "examples";

    private Grammar() {}

    /** Applies the grammar to a command and the commands below it. */
    public static void applyTo(CommandLine line, CommandContext context) {
        line.registerConverter(
                Instant.class, new Instants(context.clock(), context.screen().zone()));
        line.registerConverter(Duration.class, new Durations());
        apply(line);
    }

    private static void apply(CommandLine line) {
        CommandSpec spec = line.getCommandSpec();
        List<OldSpelling> old = oldSpellings(spec);
        if (!old.isEmpty()) {
            spec.preprocessor(new Rewriting(old));
        }
        if (!examples(spec).isEmpty()) {
            List<String> sections = new ArrayList<>(line.getHelpSectionKeys());
            sections.add(
                    sections.indexOf(UsageMessageSpec.SECTION_KEY_EXIT_CODE_LIST_HEADING),
                    EXAMPLES);
            line.setHelpSectionKeys(sections);
            line.getHelpSectionMap().put(EXAMPLES, help -> usage(examples(help.commandSpec())));
        }
        distinct(line).forEach(Grammar::apply);
    }

    private static String usage(List<Example> examples) {
        StringBuilder text = new StringBuilder("Examples:\n");
        for (Example each : examples) {
            text.append("  # " + each.does() + "\n  " + each.value() + "\n");
        }
        return text.toString();
    }

    /** Returns the commands directly below one. A command with aliases is there once. */
    private static Set<CommandLine> distinct(CommandLine line) {
        return new LinkedHashSet<>(line.getSubcommands().values());
    }

    /**
     * Returns the examples of a command. One that has commands and no examples of its own has the
     * first of each of them.
     */
    public static List<Example> examples(CommandSpec spec) {
        List<Example> own = annotations(spec, Example.class).toList();
        if (!own.isEmpty() || spec.parent() == null) {
            return own;
        }
        return distinct(spec.commandLine()).stream()
                .flatMap(each -> examples(each.getCommandSpec()).stream().limit(1))
                .toList();
    }

    /** Returns the former spellings of a command, those of its mixins included. */
    public static List<OldSpelling> oldSpellings(CommandSpec spec) {
        return Stream.concat(Stream.of(spec), spec.mixins().values().stream())
                .flatMap(each -> annotations(each, OldSpelling.class))
                .toList();
    }

    private static <A extends Annotation> Stream<A> annotations(CommandSpec spec, Class<A> type) {
        Object user = spec.userObject();
        AnnotatedElement element =
                user instanceof AnnotatedElement method
                        ? method
                        : Objects.requireNonNullElse(user, Grammar.class).getClass();
        return Arrays.stream(element.getAnnotationsByType(type));
    }
}
