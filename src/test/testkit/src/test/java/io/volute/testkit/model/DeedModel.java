package io.volute.testkit.model;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.testkit.crash.SimProvenance;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.CopyResult;
import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteResult;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The {@link StoreModel}, and the entries that its calls should have made, as plain lists. */
final class DeedModel implements StoreUnderTest {
    /** The identity of a chain of entries. */
    record Chain(BucketName bucket, ObjectKey key) {}

    private final StoreModel model =
            new StoreModel(InstantSource.fixed(Instant.EPOCH), StoreComparison.PART_BYTES_MIN);
    private final Map<Chain, List<String>> chains = new HashMap<>();

    /** Content hashes by version number. */
    private final Map<Long, Hash> contents = new HashMap<>();

    /** Bodies of parts by upload and part number. */
    private final Map<String, byte[]> parts = new HashMap<>();

    Map<Chain, List<String>> chains() {
        return chains;
    }

    @Override
    public ObjectStore open() {
        return (ObjectStore)
                Proxy.newProxyInstance(
                        ObjectStore.class.getClassLoader(),
                        new Class<?>[] {ObjectStore.class},
                        (proxy, method, arguments) -> {
                            try {
                                Object result = method.invoke(model, arguments);
                                note(method.getName(), arguments, result);
                                return result;
                            } catch (InvocationTargetException thrown) {
                                throw thrown.getCause();
                            }
                        });
    }

    private void note(String method, Object[] arguments, Object result) throws IOException {
        switch (method) {
            case "put" -> {
                byte[] content = ((MemoryBody.Finished) arguments[3]).content();
                made(arguments, "WRITE", (ObjectVersion) result, Hash.ofContent(content));
            }
            case "copy" -> {
                CopyResult copied = (CopyResult) result;
                Hash content = contents.get(copied.source().number());
                Chain target = new Chain((BucketName) arguments[2], (ObjectKey) arguments[3]);
                contents.put(copied.target().number(), content);
                add(target, SimProvenance.words("COPY", content));
            }
            case "putPart" -> {
                int number = ((PartInfo) arguments[4]).number();
                byte[] content = ((MemoryBody.Finished) arguments[5]).content();
                parts.put(arguments[3] + "/" + number, content);
            }
            case "completeUpload" -> {
                // Completed once more, it is the version that was made before.
                if (!contents.containsKey(((ObjectVersion) result).number())) {
                    made(arguments, "WRITE", (ObjectVersion) result, composed(arguments));
                }
            }
            case "setTags" ->
                    add(chain(arguments), SimProvenance.words("TAGS", tags(arguments[4])));
            case "setLock" -> add(chain(arguments), SimProvenance.words("LOCK", lock(result)));
            case "delete" -> deleted(arguments, (DeleteTarget) arguments[2], (DeleteResult) result);
            case "deleteAll" -> {
                for (int i = 0; i < ((List<?>) result).size(); i++) {
                    DeleteTarget target = (DeleteTarget) ((List<?>) arguments[2]).get(i);
                    if (((List<?>) result).get(i) instanceof DeleteOutcome.Deleted each) {
                        deleted(arguments, target, each.result());
                    }
                }
            }
            default -> {}
        }
    }

    private static Chain chain(Object[] arguments) {
        return new Chain((BucketName) arguments[1], (ObjectKey) arguments[2]);
    }

    private void add(Chain chain, String words) {
        chains.computeIfAbsent(chain, same -> new ArrayList<>()).add(words);
    }

    private void made(Object[] arguments, String kind, ObjectVersion version, Hash content) {
        contents.put(version.number(), content);
        add(chain(arguments), SimProvenance.words(kind, content));
    }

    private void deleted(Object[] arguments, DeleteTarget target, DeleteResult result) {
        Chain chain = new Chain((BucketName) arguments[1], target.key());
        boolean isAll =
                model.bucket(chain.bucket()).orElseThrow().versioning()
                        == VersioningState.UNVERSIONED;
        if (result.markerCreated()) {
            add(chain, "DELETE");
        } else if (result.version().isPresent()) {
            add(chain, isAll ? "DELETE" : "PURGE");
        }
    }

    // ---- hashes, in the forms of docs/format/provenance.md

    private Hash composed(Object[] arguments) throws IOException {
        List<?> choices = (List<?>) arguments[4];
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = begin(bytes, "parts");
        out.writeInt(choices.size());
        for (Object choice : choices) {
            byte[] part = parts.get(arguments[3] + "/" + ((PartChoice) choice).number());
            out.writeLong(part.length);
            out.write(Hash.ofContent(part).toArray());
        }
        return Hash.ofContent(bytes.toByteArray());
    }

    private static Hash tags(Object tags) throws IOException {
        return map("tags", (Map<?, ?>) tags);
    }

    private static Hash lock(Object result) throws IOException {
        ObjectLock lock = ((ObjectVersion) result).attributes().lock();
        Map<String, String> words = new HashMap<>();
        if (lock.retention().isPresent()) {
            words.put("mode", lock.retention().get().mode().toString());
            words.put("until", "" + lock.retention().get().until().toEpochMilli());
        }
        lock.legalHold().ifPresent(hold -> words.put("legal-hold", hold.toString()));
        return map("lock", words);
    }

    private static Hash map(String name, Map<?, ?> map) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = begin(bytes, name);
        Map<?, ?> sorted = new TreeMap<>(map);
        out.writeInt(sorted.size());
        for (Map.Entry<?, ?> tag : sorted.entrySet()) {
            for (Object each : List.of(tag.getKey(), tag.getValue())) {
                byte[] text = Bytes.of((String) each).toArray();
                out.writeInt(text.length);
                out.write(text);
            }
        }
        return Hash.ofContent(bytes.toByteArray());
    }

    private static DataOutputStream begin(ByteArrayOutputStream bytes, String name)
            throws IOException {
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(("volute/1/" + name + "\0").getBytes(StandardCharsets.US_ASCII));
        return out;
    }
}
