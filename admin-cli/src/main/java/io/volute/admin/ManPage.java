package io.volute.admin;

import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.Grammar;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Generates the manual page of a command from its picocli specification. */
final class ManPage {
    private static final int SYNOPSIS_WIDTH = 10_000;

    /** The first sentence of a description; the page uses it as the summary. */
    private static final Pattern SUMMARY = Pattern.compile("(.*?)[.:](\\s.*)?");

    /** A footer line that defines an environment variable: the name, then its meaning. */
    private static final Pattern DEFINITION = Pattern.compile("  (\\S.*?)  +(.+)");

    private final CommandSpec spec;
    private final Help help;
    private final Roff page = new Roff();

    private ManPage(CommandSpec spec) {
        this.spec = spec;
        help = new Help(spec, Help.defaultColorScheme(Ansi.OFF));
    }

    /** The name of its file, as {@code man} looks for it. */
    static String fileName(CommandSpec spec) {
        return name(spec) + ".1";
    }

    /**
     * Its source.
     *
     * @param version of the program
     */
    static String of(CommandSpec spec, String version) {
        return new ManPage(spec).write(version);
    }

    private static String name(CommandSpec spec) {
        return spec.qualifiedName("-");
    }

    private static String summary(CommandSpec spec) {
        String first = format(spec.usageMessage().description()[0]);
        Matcher summary = SUMMARY.matcher(first);
        return summary.matches() ? summary.group(1) : first;
    }

    /** Resolves the format specifiers of a text in the same way as picocli. */
    private static String format(String text) {
        return String.format(Locale.ROOT, text).strip();
    }

    private String write(String version) {
        String title = name(spec).toUpperCase(Locale.ROOT);
        page.macro("TH", title, "1", "", "Volute " + version, "Volute");
        // Names of options and places are not to be cut in two.
        page.line(".nh").line(".ad l");
        page.macro("SH", "NAME").line(Roff.text(name(spec) + " - " + summary(spec)));
        page.macro("SH", "SYNOPSIS");
        page.line(Roff.withOptions(synopsis()));
        page.macro("SH", "DESCRIPTION");
        lines(spec.usageMessage().description());
        commands();
        arguments();
        options();
        examples();
        exitCodes();
        environment();
        seeAlso();
        return page.toString();
    }

    /** In one line: man breaks it. */
    private String synopsis() {
        int width = spec.usageMessage().width();
        spec.usageMessage().width(SYNOPSIS_WIDTH);
        try {
            return help.synopsis(0).strip();
        } finally {
            spec.usageMessage().width(width);
        }
    }

    /** Sentences; what is indented stands for itself. */
    private void lines(String... texts) {
        for (String text : texts) {
            if (text.startsWith("  ")) {
                page.macro("RS").macro("nf").line(Roff.text(format(text)));
                page.macro("fi").macro("RE");
            } else {
                page.line(Roff.withOptions(format(text)));
            }
        }
    }

    private void definition(String term, String... texts) {
        page.macro("TP").line(term);
        lines(texts);
    }

    private void commands() {
        if (!spec.subcommands().isEmpty()) {
            page.macro("SH", "COMMANDS");
        }
        spec.subcommands()
                .values()
                .forEach(
                        each ->
                                definition(
                                        reference(each.getCommandSpec()),
                                        summary(each.getCommandSpec())));
    }

    private static String reference(CommandSpec spec) {
        return Roff.bold(name(spec)) + "(1)";
    }

    private void arguments() {
        List<PositionalParamSpec> arguments =
                spec.positionalParameters().stream().filter(each -> !each.hidden()).toList();
        if (!arguments.isEmpty()) {
            page.macro("SH", "ARGUMENTS");
        }
        arguments.forEach(each -> definition(Roff.bold(label(each)), each.description()));
    }

    /** Returns the name of an argument's value as the synopsis shows it. */
    private String label(ArgSpec argument) {
        return help.parameterLabelRenderer()
                .renderParameterLabel(argument, Ansi.OFF, List.of())
                .toString();
    }

    private void options() {
        List<OptionSpec> options =
                spec.options().stream()
                        .filter(each -> !each.hidden())
                        .sorted(Comparator.comparing(OptionSpec::longestName))
                        .toList();
        if (!options.isEmpty()) {
            page.macro("SH", "OPTIONS");
        }
        for (OptionSpec option : options) {
            List<String> names = Arrays.stream(option.names()).map(Roff::bold).toList();
            definition(String.join(", ", names) + Roff.text(label(option)), option.description());
        }
    }

    private void examples() {
        List<Example> examples = Grammar.examples(spec);
        if (!examples.isEmpty()) {
            page.macro("SH", "EXAMPLES");
        }
        // A paragraph stands between two of them, not before the first.
        for (int i = 0; i < examples.size(); i++) {
            if (i > 0) {
                page.macro("PP");
            }
            page.line(Roff.withOptions(examples.get(i).does()));
            page.macro("RS").macro("nf").line(Roff.text(examples.get(i).value()));
            page.macro("fi").macro("RE");
        }
    }

    /** Its own, or those of what it belongs to. */
    private void exitCodes() {
        CommandSpec at = spec;
        while (at.usageMessage().exitCodeList().isEmpty() && at.parent() != null) {
            at = at.parent();
        }
        Map<String, String> codes = new LinkedHashMap<>(at.usageMessage().exitCodeList());
        if (!codes.isEmpty()) {
            page.macro("SH", "EXIT STATUS");
        }
        codes.forEach((code, meaning) -> definition(Roff.bold(code), meaning));
    }

    /** Writes the ENVIRONMENT section from the definitions in the footer. */
    private void environment() {
        if (spec.usageMessage().footer().length > 0) {
            page.macro("SH", "ENVIRONMENT");
        }
        for (String line : spec.usageMessage().footer()) {
            Matcher definition = DEFINITION.matcher(line);
            if (definition.matches()) {
                definition(Roff.bold(definition.group(1)), definition.group(2));
            } else {
                lines(line);
            }
        }
    }

    private void seeAlso() {
        if (spec.parent() != null) {
            page.macro("SH", "SEE ALSO");
            String parent = reference(spec.parent());
            page.line(
                    spec.parent() == spec.root() ? parent : parent + ", " + reference(spec.root()));
        }
    }
}
