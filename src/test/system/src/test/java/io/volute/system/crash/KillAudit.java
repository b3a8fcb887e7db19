package io.volute.system.crash;

import io.volute.testkit.ledger.ClientLedger;
import io.volute.testkit.ledger.Digests;
import io.volute.testkit.ledger.LedgerCheck;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Reads everything back after a kill and counts the deviations from the ledger. */
final class KillAudit {
    private final LedgerCheck check;
    private final List<String> findings = new ArrayList<>();
    private Map<String, String> states = new TreeMap<>();
    private int lost;
    private int resurrected;
    private int partial;
    private int unreadableListings;
    private final LongAdder reads = new LongAdder();

    KillAudit(ClientLedger ledger) {
        this.check = new LedgerCheck(ledger);
    }

    /** Checks the newest state of every key, and the listings against it. */
    void currentStates(S3Client s3, SplittableRandom random) {
        TreeSet<String> listed = new TreeSet<>();
        for (String bucket : List.of(KillLoad.PLAIN, KillLoad.VERSIONED)) {
            try {
                list(s3, bucket, 1 + random.nextInt(200), listed);
            } catch (SdkException e) {
                unreadableListings++;
                findings.add("listing of " + bucket + ": " + e.getMessage());
            }
        }
        Map<String, String> found = new ConcurrentSkipListMap<>();
        List<String> violations =
                check.currentStates(
                        name -> {
                            Optional<String> digest = digest(s3, name);
                            digest.ifPresent(value -> found.put(name, value));
                            return digest;
                        });
        violations.forEach(this::count);
        states = found;
        if (!listed.equals(new TreeSet<>(found.keySet()))) {
            unreadableListings++;
            TreeSet<String> missing = new TreeSet<>(found.keySet());
            missing.removeAll(listed);
            listed.removeAll(found.keySet());
            findings.add("listing lacks " + missing + " and has besides " + listed);
        }
    }

    /** Checks every version ever acknowledged in the versioned bucket. */
    void allVersions(S3Client s3) throws IOException {
        Map<String, List<String>> ids = new TreeMap<>();
        try {
            s3.listObjectVersionsPaginator(list -> list.bucket(KillLoad.VERSIONED))
                    .versions()
                    .forEach(version -> add(ids, version));
        } catch (SdkException e) {
            unreadableListings++;
            findings.add("listing of versions: " + e.getMessage());
            return;
        }
        check
                .allVersions(
                        name -> {
                            if (!name.startsWith(KillLoad.VERSIONED + "/")) {
                                return List.of();
                            }
                            String key = name.substring(name.indexOf('/') + 1);
                            List<String> digests = new ArrayList<>();
                            for (String id : ids.getOrDefault(key, List.of())) {
                                digests.add(version(s3, key, id));
                            }
                            return digests;
                        })
                .stream()
                .filter(violation -> violation.startsWith(KillLoad.VERSIONED + "/"))
                .forEach(this::count);
    }

    private static void add(Map<String, List<String>> ids, ObjectVersion version) {
        ids.computeIfAbsent(version.key(), key -> new ArrayList<>()).add(version.versionId());
    }

    private void count(String violation) {
        // What nobody sent is a torn, mixed or unreadable body.
        if (violation.contains("a value that no client sent")) {
            partial++;
        } else if (violation.contains("holds the replaced or refused")) {
            resurrected++;
        } else {
            lost++;
        }
        findings.add(violation);
    }

    private Optional<String> digest(S3Client s3, String name) {
        reads.increment();
        String bucket = name.substring(0, name.indexOf('/'));
        String key = name.substring(name.indexOf('/') + 1);
        try {
            return Optional.of(
                    Digests.of(
                            s3.getObjectAsBytes(get -> get.bucket(bucket).key(key)).asByteArray()));
        } catch (S3Exception e) {
            return e.statusCode() == 404 && "NoSuchKey".equals(e.awsErrorDetails().errorCode())
                    ? Optional.empty()
                    : Optional.of("unreadable: " + e.getMessage());
        } catch (SdkException e) {
            return Optional.of("unreadable: " + e.getMessage());
        }
    }

    private String version(S3Client s3, String key, String id) {
        reads.increment();
        try {
            return Digests.of(
                    s3.getObjectAsBytes(
                                    get -> get.bucket(KillLoad.VERSIONED).key(key).versionId(id))
                            .asByteArray());
        } catch (SdkException e) {
            return "unreadable: " + e.getMessage();
        }
    }

    private static void list(S3Client s3, String bucket, int pageSize, TreeSet<String> names) {
        String token = null;
        ListObjectsV2Response page;
        do {
            String from = token;
            page =
                    s3.listObjectsV2(
                            list -> list.bucket(bucket).maxKeys(pageSize).continuationToken(from));
            page.contents().forEach(object -> names.add(bucket + "/" + object.key()));
            token = page.nextContinuationToken();
        } while (Boolean.TRUE.equals(page.isTruncated()));
    }

    /** Digests by name, as the last {@link #currentStates} found them. */
    Map<String, String> states() {
        return Map.copyOf(states);
    }

    int lost() {
        return lost;
    }

    /** Keys that hold an older state than they must, deleted ones included. */
    int resurrected() {
        return resurrected;
    }

    int partial() {
        return partial;
    }

    int unreadableListings() {
        return unreadableListings;
    }

    /** Returns the number of reads and of each kind of deviation, in words. */
    String counts() {
        return "reads %d, lost %d, resurrected %d, partial %d, unreadable listings %d"
                .formatted(reads.sum(), lost, resurrected, partial, unreadableListings);
    }

    List<String> findings() {
        return List.copyOf(findings);
    }
}
