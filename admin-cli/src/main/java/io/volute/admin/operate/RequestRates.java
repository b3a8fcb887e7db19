package io.volute.admin.operate;

import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.admin.output.TableOutput;
import io.volute.adminapi.RequestsApi.DurationClass;
import io.volute.adminapi.RequestsApi.Operation;
import io.volute.adminapi.RequestsApi.Requests;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The rates of requests that a server answered between two samples, by operation. */
final class RequestRates {
    private final Map<String, Operation> before;
    private final Requests now;
    private final double seconds;

    /**
     * The rates between two samples.
     *
     * @param operations the most frequent first
     */
    record Rates(long underWay, List<OperationRates> operations) {}

    /**
     * An operation between two samples.
     *
     * @param halfWithinMicros the bound of the class within which half of them took; 0 when it has
     *     none
     */
    record OperationRates(
            String operation,
            double requestsPerSecond,
            double clientErrorsPerSecond,
            double serverErrorsPerSecond,
            long receivedBytesPerSecond,
            long sentBytesPerSecond,
            long meanMicros,
            long halfWithinMicros,
            long most99WithinMicros) {}

    private RequestRates(Requests before, Requests now, double seconds) {
        this.before =
                before.operations().stream()
                        .collect(Collectors.toMap(Operation::operation, Function.identity()));
        this.now = now;
        this.seconds = seconds;
    }

    /** Returns the rates of the operations that were asked for between two samples. */
    static Rates between(Requests before, Requests now, double seconds) {
        return new RequestRates(before, now, seconds).rates();
    }

    private Rates rates() {
        return new Rates(
                now.underWay(),
                now.operations().stream()
                        .map(this::rates)
                        .flatMap(Optional::stream)
                        .sorted(
                                Comparator.comparingDouble(OperationRates::requestsPerSecond)
                                        .reversed()
                                        .thenComparing(OperationRates::operation))
                        .toList());
    }

    /** Returns the rates of an operation; empty when it was not asked for. */
    private Optional<OperationRates> rates(Operation later) {
        Operation none = new Operation(later.operation(), 0, 0, 0, 0, 0, 0, List.of());
        Operation known = before.getOrDefault(later.operation(), none);
        // A server that was started anew counts from 0.
        Operation earlier = known.requests() > later.requests() ? none : known;
        long requests = later.requests() - earlier.requests();
        if (requests == 0) {
            return Optional.empty();
        }
        return Optional.of(
                new OperationRates(
                        later.operation(),
                        tenths(requests),
                        tenths(more(earlier, later, Operation::clientErrors)),
                        tenths(more(earlier, later, Operation::serverErrors)),
                        Math.round(more(earlier, later, Operation::receivedBytes) / seconds),
                        Math.round(more(earlier, later, Operation::sentBytes) / seconds),
                        more(earlier, later, Operation::micros) / requests,
                        within(earlier, later, requests, 0.5),
                        within(earlier, later, requests, 0.99)));
    }

    private static long more(Operation earlier, Operation later, ToLongFunction<Operation> figure) {
        return AnswerFormat.more(figure.applyAsLong(earlier), figure.applyAsLong(later));
    }

    private double tenths(long count) {
        return Math.round(10 * count / seconds) / 10.0;
    }

    /** Returns the bound of the class within which a share of them took; 0 when it has none. */
    private static long within(Operation earlier, Operation later, long requests, double share) {
        List<DurationClass> classes = later.durations();
        List<DurationClass> older = earlier.durations();
        long left = (long) Math.ceil(requests * share);
        for (int i = 0; i < classes.size(); i++) {
            long same = i < older.size() ? older.get(i).requests() : 0;
            left -= AnswerFormat.more(same, classes.get(i).requests());
            if (left <= 0) {
                return classes.get(i).withinMicros().orElse(0);
            }
        }
        return 0;
    }

    /** Shows what {@link #between} made. */
    static void show(Rates rates, TableOutput output) {
        List<OperationRates> operations = rates.operations();
        output.out()
                .println(
                        String.format(
                                Locale.ROOT,
                                "requests   %.1f/s   %s/s in   %s/s out   %d under way",
                                operations.stream()
                                        .mapToDouble(OperationRates::requestsPerSecond)
                                        .sum(),
                                AnswerFormat.bytes(
                                        sum(operations, OperationRates::receivedBytesPerSecond)),
                                AnswerFormat.bytes(
                                        sum(operations, OperationRates::sentBytesPerSecond)),
                                rates.underWay()));
        new Table<>(
                        OperationRates.class,
                        new Column<>("OPERATION", OperationRates::operation),
                        figure("/S", each -> tenths(each.requestsPerSecond())),
                        figure("MEAN", each -> time(each.meanMicros())),
                        figure("HALF WITHIN", each -> time(each.halfWithinMicros())),
                        figure("99% WITHIN", each -> time(each.most99WithinMicros())),
                        figure("4XX/S", each -> tenths(each.clientErrorsPerSecond())),
                        figure("5XX/S", each -> tenths(each.serverErrorsPerSecond())))
                .print(operations, output);
    }

    private static Column<OperationRates> figure(
            String title, Function<OperationRates, String> figure) {
        return Column.whole(new Column<>(title, figure));
    }

    private static String tenths(double rate) {
        return String.format(Locale.ROOT, "%.1f", rate);
    }

    private static long sum(
            List<OperationRates> operations, ToLongFunction<OperationRates> figure) {
        return operations.stream().mapToLong(figure).sum();
    }

    private static String time(long micros) {
        if (micros < 1000) {
            return micros == 0 ? "-" : micros + " us";
        }
        return micros < 1_000_000
                ? String.format(Locale.ROOT, "%.1f ms", micros / 1e3)
                : String.format(Locale.ROOT, "%.1f s", micros / 1e6);
    }
}
