package io.volute.admin.audit;

import io.volute.provenance.audit.AuditScope;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for the scope of an audit and for the required signature algorithms and edges. */
public final class AuditOptions {
    private static final String BOTH = "both";
    private static final List<EventKind> KINDS = List.of(EventKind.values());

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--dimension",
            paramLabel = "D",
            description = "Only every 2^D-th entry, back from the last one.")
    private Optional<Integer> dimension = Optional.empty();

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description = "Only entries of one kind: write, delete, tags, copy, ...")
    private Optional<String> kind = Optional.empty();

    @Option(
            names = "--require",
            paramLabel = "ALGORITHM",
            description = "Signatures that each entry must have: ed25519, ml-dsa-65 or both.")
    private Optional<String> require = Optional.empty();

    @Option(
            names = "--accept-summaries",
            description = "Entries may have been summarised away, where that is provable.")
    private boolean acceptSummaries;

    @Option(
            names = "--since-checkpoint",
            paramLabel = "NUMBER",
            description =
                    "Only chains that have changed since this checkpoint, from the entry on that"
                            + " it has as their last one. With --export that of --checkpoint.")
    private Optional<Long> since = Optional.empty();

    /** Refuses what cannot be. */
    void check() {
        if (since.isPresent() && (dimension.isPresent() || kind.isPresent())) {
            throw wrong("--since-checkpoint goes with neither --dimension nor --kind");
        }
        if (since.filter(each -> each < 0).isPresent()) {
            throw wrong("--since-checkpoint is the number of a checkpoint");
        }
        if (dimension.isPresent() && kind.isPresent()) {
            throw wrong("Either --dimension or --kind");
        }
        if (dimension.filter(each -> each < 0 || each > SpiralShape.EXPONENT_MAX).isPresent()) {
            throw wrong("--dimension is 0 to " + SpiralShape.EXPONENT_MAX);
        }
        kind.filter(each -> !words(KINDS).contains(each))
                .ifPresent(each -> oneOf("--kind", words(KINDS)));
        require.filter(each -> !BOTH.equals(each))
                .filter(each -> !words(SignatureAlgorithm.SIGNING).contains(each))
                .ifPresent(each -> oneOf("--require", List.of("ed25519", "ml-dsa-65", BOTH)));
    }

    private ParameterException wrong(String text) {
        return new ParameterException(spec.commandLine(), text);
    }

    private void oneOf(String name, List<String> words) {
        throw wrong(name + " is one of " + String.join(", ", words));
    }

    /** The checkpoint that the audit goes on from. */
    Optional<Long> since() {
        return since;
    }

    /** Returns true if the audit covers one dimension only. The ends of the chains matter then. */
    boolean isOfOneDimension() {
        return dimension.isPresent();
    }

    boolean isOfOneKind() {
        return kind.isPresent();
    }

    /** Returns the name of a constant as commands and the server write it. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static List<String> words(Collection<? extends Enum<?>> constants) {
        return constants.stream().map(AuditOptions::word).toList();
    }

    private Set<SignatureAlgorithm> required() {
        return SignatureAlgorithm.SIGNING.stream()
                .filter(each -> require.filter(text -> isMeant(text, each)).isPresent())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static boolean isMeant(String text, SignatureAlgorithm algorithm) {
        return text.equals(BOTH) || text.equals(word(algorithm));
    }

    /** Returns the audit request parameters that these options select. */
    Map<String, Object> asked() {
        Map<String, Object> asked = new LinkedHashMap<>();
        dimension.ifPresent(each -> asked.put("dimension", each));
        kind.ifPresent(each -> asked.put("kind", each));
        if (require.isPresent()) {
            asked.put(
                    "requireAlgorithms",
                    required().stream().map(AuditOptions::word).sorted().toList());
        }
        since.ifPresent(each -> asked.put("sinceCheckpoint", each));
        if (acceptSummaries) {
            asked.put("acceptSummaries", true);
        }
        return asked;
    }

    /**
     * As a chain of an export is audited.
     *
     * @param head sequence of its last entry; asked for when it matters
     */
    AuditTerms terms(KeyList keys, LongSupplier head) {
        AuditTerms terms = AuditTerms.of(keys).requiring(required());
        terms = acceptSummaries ? terms.acceptingSummaries() : terms;
        if (dimension.isPresent()) {
            return terms.with(new AuditScope.Dimension(dimension.get(), head.getAsLong()));
        }
        return kind.isPresent() ? terms.with(new AuditScope.Kind(kindOf(kind.get()))) : terms;
    }

    private static EventKind kindOf(String text) {
        return Stream.of(EventKind.values())
                .filter(each -> word(each).equals(text))
                .findFirst()
                .orElseThrow();
    }
}
