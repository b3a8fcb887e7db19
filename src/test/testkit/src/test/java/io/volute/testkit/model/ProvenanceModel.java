package io.volute.testkit.model;

import io.volute.testkit.crash.SimProvenance;
import io.volute.testkit.model.OperationGenerator.Options;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random sequences on a store with provenance, with clean and crashed restarts in between: its
 * chains are those of the model, and an audit finds nothing.
 */
class ProvenanceModel {
    private static final int LENGTH = 60;

    @ParameterizedTest
    @EnumSource
    void chainsAreLikeTheModel(SimStore.End end) throws IOException {
        compare(end, Options.small());
    }

    @ParameterizedTest
    @EnumSource
    void chainsWithLocksAreLikeTheModel(SimStore.End end) throws IOException {
        compare(end, Options.locks());
    }

    private static void compare(SimStore.End end, Options options) throws IOException {
        long first = StoreComparison.firstSeed(1_000L * (1 + end.ordinal()));
        for (long seed = first; seed < first + StoreComparison.sequences(25); seed++) {
            long same = seed;
            List<StoreOperation> operations =
                    new OperationGenerator(options, seed).sequence(LENGTH);
            if (difference(operations, end, seed).isPresent()) {
                List<StoreOperation> reduced =
                        Reducer.reduce(operations, each -> difference(each, end, same).isPresent());
                throw new AssertionError(
                        "repeat with -Dvolute.seed=%d -Dvolute.sequences=1, %s%n%s%n%s"
                                .formatted(seed, end, reduced, difference(reduced, end, seed)));
            }
        }
    }

    private static Optional<String> difference(
            List<StoreOperation> operations, SimStore.End end, long seed) throws IOException {
        SimStore signed = new SimStore(end, 64 << 10, seed, true);
        DeedModel deeds = new DeedModel();
        try (StorePlayer tested = new StorePlayer(signed);
                StorePlayer model = new StorePlayer(deeds)) {
            for (StoreOperation operation : operations) {
                String expected = model.play(operation);
                String found = tested.play(operation);
                if (!expected.equals(found)) {
                    return Optional.of(operation + ": " + found + " instead of " + expected);
                }
                Optional<String> chains =
                        operation instanceof StoreOperation.Reopen
                                ? difference(signed, deeds)
                                : Optional.empty();
                if (chains.isPresent()) {
                    return chains;
                }
            }
            return difference(signed, deeds);
        }
    }

    private static Optional<String> difference(SimStore signed, DeedModel deeds)
            throws IOException {
        List<String> audited = SimProvenance.audit(signed.provenance());
        if (!audited.equals(List.of(deeds.chains().size() + " chains"))) {
            return Optional.of("audited: " + audited + ", chains: " + deeds.chains().keySet());
        }
        for (Map.Entry<DeedModel.Chain, List<String>> each : deeds.chains().entrySet()) {
            DeedModel.Chain chain = each.getKey();
            List<String> found =
                    SimProvenance.entries(signed.provenance(), chain.bucket(), chain.key());
            if (!found.equals(each.getValue())) {
                return Optional.of(chain + ": " + found + " instead of " + each.getValue());
            }
        }
        return Optional.empty();
    }
}
