package io.volute.admin.audit;

import io.volute.admin.client.S3Uri;
import io.volute.adminapi.AuditApi.AuditRequest;
import io.volute.adminapi.Words;
import io.volute.provenance.audit.AuditScope;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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

    private static List<String> words(Collection<? extends Enum<?>> constants) {
        return constants.stream().map(Words::of).toList();
    }

    private Set<SignatureAlgorithm> required() {
        return SignatureAlgorithm.SIGNING.stream()
                .filter(each -> require.filter(text -> isMeant(text, each)).isPresent())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static boolean isMeant(String text, SignatureAlgorithm algorithm) {
        return text.equals(BOTH) || text.equals(Words.of(algorithm));
    }

    /** Returns the request for an audit by the server that these options select. */
    AuditRequest asked(ChainRange range, Optional<String> cube, boolean isOfContents) {
        return new AuditRequest(
                range.bucket(),
                range.prefix(),
                range.key().map(S3Uri::key),
                number(dimension),
                kind,
                require.map(text -> required().stream().map(Words::of).sorted().toList()),
                acceptSummaries ? Optional.of(true) : Optional.empty(),
                isOfContents ? Optional.of(true) : Optional.empty(),
                number(since),
                cube);
    }

    private static OptionalLong number(Optional<? extends Number> number) {
        return number.isPresent()
                ? OptionalLong.of(number.get().longValue())
                : OptionalLong.empty();
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
                .filter(each -> Words.of(each).equals(text))
                .findFirst()
                .orElseThrow();
    }
}
