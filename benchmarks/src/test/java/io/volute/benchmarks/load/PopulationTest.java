package io.volute.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.volute.benchmarks.http.AsciiBuffer;
import io.volute.benchmarks.load.LoadPlan.Request;
import io.volute.benchmarks.load.Workload.Operation;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PopulationTest {
    private static final int OBJECTS = 200_000;
    private static final int BYTES_MAX = 1 << 30;
    private static final Population POPULATION = new Population(7, BYTES_MAX);

    @Test
    void sizesAreLogNormal() {
        double[] logs = logsOfSizes();
        // Kolmogorov-Smirnov: the tail may take its share, and two digits a little.
        double farthest = 0;
        for (int i = 0; i < logs.length; i++) {
            double expected = normal((logs[i] - Population.LOG_MEAN) / Population.LOG_DEVIATION);
            farthest = Math.max(farthest, Math.abs(expected - (i + 0.5) / logs.length));
        }
        assertThat(farthest).isLessThan(Population.TAIL_SHARE + 0.012);
    }

    private static double[] logsOfSizes() {
        return LongStream.range(0, OBJECTS)
                .mapToDouble(number -> Math.log(Math.max(0.5, POPULATION.bytes(number))))
                .sorted()
                .toArray();
    }

    /** Abramowitz and Stegun, 26.2.17: within 7.5e-8. */
    private static double normal(double x) {
        double t = 1 / (1 + 0.2316419 * Math.abs(x));
        double[] factors = {0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429};
        double sum = 0;
        double power = t;
        for (double factor : factors) {
            sum += factor * power;
            power *= t;
        }
        double upper = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI) * sum;
        return x < 0 ? upper : 1 - upper;
    }

    @Test
    void theTailIsHeavy() {
        double begin = BYTES_MAX * Population.TAIL_BEGIN;
        long large = LongStream.range(0, OBJECTS).filter(n -> POPULATION.bytes(n) >= begin).count();
        long twice =
                LongStream.range(0, OBJECTS).filter(n -> POPULATION.bytes(n) >= 4 * begin).count();
        double expected = OBJECTS * Population.TAIL_SHARE;
        assertThat((double) large).isCloseTo(expected, within(expected / 4));
        assertThat(twice / (double) large)
                .isCloseTo(Math.pow(4, -Population.TAIL_SHAPE), within(0.08));
        assertThat(LongStream.range(0, OBJECTS).map(POPULATION::bytes))
                .allMatch(bytes -> bytes >= 0 && bytes <= BYTES_MAX);
    }

    @Test
    void namesAreAsDeepAsFileSystemsAre() {
        double mean = LongStream.range(0, OBJECTS).map(POPULATION::depth).average().orElseThrow();
        assertThat(mean).isCloseTo(Population.DEPTH_MEAN, within(0.05));
        Set<String> keys = new HashSet<>();
        Map<String, Integer> firsts = new HashMap<>();
        for (long number = 0; number < 10_000; number++) {
            AsciiBuffer key = new AsciiBuffer();
            POPULATION.appendKey(key, "run", number);
            keys.add(key.toString());
            firsts.merge(key.toString().split("/")[1], 1, Integer::sum);
        }
        assertThat(keys).hasSize(10_000);
        assertThat(firsts.get("d00")).isGreaterThan(10 * firsts.getOrDefault("d08", 1));
    }

    @Test
    void mostDieYoung() {
        long[] lives = LongStream.range(0, OBJECTS).map(POPULATION::lifetime).sorted().toArray();
        assertThat(lives[0]).isPositive();
        long young = Arrays.stream(lives).filter(life -> life <= Population.YOUNG_MEAN).count();
        assertThat(young / (double) OBJECTS)
                .isCloseTo(Population.YOUNG_SHARE * (1 - Math.exp(-1)), within(0.01));
    }

    @Test
    void theSameSeedIsTheSamePopulation() {
        Population same = new Population(7, BYTES_MAX);
        Population other = new Population(8, BYTES_MAX);
        assertThat(same.bytes(5)).isEqualTo(POPULATION.bytes(5));
        assertThat(LongStream.range(0, 100).filter(n -> other.bytes(n) == POPULATION.bytes(n)))
                .hasSizeLessThan(10);
    }

    /** Verifies that no object is deleted before its PUT, twice or during a read. */
    @Test
    void requestsFollowTheLivesOfTheObjects() {
        Living living = new Living(POPULATION, 30);
        SplittableRandom random = new SplittableRandom(1);
        Set<Long> there = new HashSet<>();
        Map<Operation, Integer> counts = new HashMap<>();
        for (int i = 0; i < 50_000; i++) {
            Request request = living.next(random);
            counts.merge(request.operation(), 1, Integer::sum);
            switch (request.operation()) {
                case PUT -> assertThat(there.add(request.item())).isTrue();
                case DELETE -> assertThat(there.remove(request.item())).isTrue();
                default -> assertThat(there).contains(request.item());
            }
            living.done(request);
        }
        assertThat(counts.get(Operation.GET) / 50_000.0).isCloseTo(0.3, within(0.01));
        assertThat(counts.get(Operation.DELETE)).isGreaterThan(counts.get(Operation.PUT) / 3);
    }

    @Test
    void whatIsReadIsNotDeletedMeanwhile() {
        Living living = new Living(POPULATION, 50);
        SplittableRandom random = new SplittableRandom(2);
        Set<Long> reading = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            Request request = living.next(random);
            assertThat(reading).doesNotContain(request.item());
            if (request.operation() == Operation.GET && reading.size() < 20) {
                reading.add(request.item());
            } else {
                living.done(request);
            }
        }
        assertThat(reading).hasSize(20);
    }
}
