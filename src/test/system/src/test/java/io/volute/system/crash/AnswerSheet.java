package io.volute.system.crash;

import io.volute.system.Bytes;
import io.volute.system.RawConnection;
import io.volute.system.RawConnection.Answer;
import io.volute.system.RawRequest;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server answers to every page of a bucket's listings and to sampled reads: the request, and
 * a digest of status, headers and body. Two sheets are equal when no client could tell the servers
 * apart by them.
 */
record AnswerSheet(Map<String, String> digests) {
    /** They are another in every answer. */
    private static final TreeSet<String> CHANGING =
            new TreeSet<>(List.of("date", "x-amz-request-id", "x-amz-id-2"));

    /**
     * @param count keys to read, chosen by the seed, the same ones each time
     */
    record Sample(ManyObjects objects, int count, long seed) {}

    static AnswerSheet of(URI endpoint, Sample sample) throws IOException {
        String bucket = sample.objects().bucket();
        Map<String, String> digests = new LinkedHashMap<>();
        try (RawConnection connection = RawConnection.open(endpoint)) {
            Asking asking = new Asking(endpoint, connection, digests);
            asking.pages(
                    bucket,
                    Map.of("list-type", "2"),
                    Map.of("NextContinuationToken", "continuation-token"));
            asking.pages(
                    bucket,
                    Map.of("versions", ""),
                    Map.of(
                            "NextKeyMarker",
                            "key-marker",
                            "NextVersionIdMarker",
                            "version-id-marker"));
            asking.pages(bucket, Map.of("delimiter", "/"), Map.of("NextMarker", "marker"));
            SplittableRandom random = new SplittableRandom(sample.seed());
            for (int i = 0; i < sample.count(); i++) {
                String key = sample.objects().key(random.nextInt(sample.objects().count()));
                asking.ask(RawRequest.of("GET", "/" + bucket + "/" + key), "GET " + key);
            }
        }
        return new AnswerSheet(digests);
    }

    /** The first requests that were answered otherwise. */
    List<String> differences(AnswerSheet other) {
        TreeSet<String> requests = new TreeSet<>(digests.keySet());
        requests.addAll(other.digests.keySet());
        return requests.stream()
                .filter(each -> !digests.getOrDefault(each, "").equals(other.digests.get(each)))
                .limit(20)
                .toList();
    }

    private record Asking(URI endpoint, RawConnection connection, Map<String, String> digests) {

        /**
         * @param next elements of the answer and the parameters that ask for the page behind it
         */
        private void pages(String bucket, Map<String, String> asked, Map<String, String> next)
                throws IOException {
            Map<String, String> query = new LinkedHashMap<>(asked);
            boolean more = true;
            while (more) {
                RawRequest request = RawRequest.of("GET", "/" + bucket);
                query.forEach(request::query);
                String document = ask(request, query.toString()).body();
                for (Map.Entry<String, String> each : next.entrySet()) {
                    element(document, each.getKey())
                            .ifPresent(value -> query.put(each.getValue(), value));
                }
                more = element(document, "IsTruncated").orElse("").equals("true");
            }
        }

        private Answer ask(RawRequest request, String name) throws IOException {
            connection.send(request.signed(endpoint));
            Answer answer = connection.read("GET").orElseThrow(EOFException::new);
            StringBuilder text = new StringBuilder().append(answer.status());
            answer.headers().stream()
                    .filter(line -> !CHANGING.contains(headerName(line)))
                    .sorted()
                    .forEach(line -> text.append('\n').append(line));
            // An error document contains the id of the request.
            text.append("\n\n")
                    .append(answer.body().replaceAll("<(RequestId|HostId)>[^<]*</\\1>", ""));
            digests.put(name, Bytes.sha256Hex(text.toString().getBytes(StandardCharsets.UTF_8)));
            return answer;
        }

        private static String headerName(String line) {
            return line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT);
        }

        private static Optional<String> element(String document, String name) {
            Matcher found =
                    Pattern.compile("<" + name + ">([^<]*)</" + name + ">").matcher(document);
            return found.find() ? Optional.of(found.group(1)) : Optional.empty();
        }
    }
}
