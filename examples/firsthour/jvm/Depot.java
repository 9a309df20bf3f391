// SPDX-License-Identifier: Apache-2.0

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The parcel service of this folder's neighbours, for the JVM: the JDK alone, two threads.
 *
 * <p>java Depot ADDRESS-FILE LIFETIME-SECONDS [HANDLER=FACTOR]
 *
 * <p>It listens on a free port of loopback, writes the address to ADDRESS-FILE, and ends by itself.
 */
public final class Depot {
    record Place(String name, String street, String town, String code) {}

    record Scan(String at, String place, String what) {}

    record Parcel(String id, Place from, Place to, int grams, Instant posted, List<Scan> scans, boolean delivered) {}

    record Answer(String kind, byte[] body) {}

    interface Handler {
        Answer answer(int number, String body) throws IOException, GeneralSecurityException;
    }

    static final String[] TOWNS =
        "Aldford Brigsley Carrow Dunmere Eastleigh Farnholm Garside Holtby Inverlay Kestwick Oxmoor Quenby".split(" ");
    static final String[] NAMES = "Abel Berta Carla Dorian Edith Fiona Gustav Hanna Ivo Jonas Klara Leon Mina".split(" ");
    static final String[] STEPS = "accepted,sorted,loaded,in transit,arrived,out for delivery,delivered".split(",");
    static final DateTimeFormatter DAY =
        DateTimeFormatter.ofPattern("dd MMM yyyy HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);
    static final Pattern CODE = Pattern.compile("^[0-4]\\d+[13579]$");
    static final Pattern LINE = Pattern.compile("\"town\":\"(\\w+)\",\"grams\":(\\d+),\"side_cm\":([\\d.]+)");
    static final int MANIFEST_ROWS = 640;

    final List<Parcel> parcels = new ArrayList<>();
    final Map<String, Parcel> byId = new HashMap<>();
    final Map<String, Handler> routes = Map.of("/parcel", this::lookup, "/find", this::find, "/board", this::board,
        "/quote", this::quote, "/manifest", this::manifest);
    final AtomicLong served = new AtomicLong();
    final long started = System.nanoTime();
    final String repeated;
    final double factor;

    Depot(String repeat) {
        String[] words = repeat.split("=");
        repeated = "/" + words[0];
        factor = words.length == 2 ? Double.parseDouble(words[1]) : 1.0;
        SplittableRandom random = new SplittableRandom(20250301);
        for (int i = 0; i < 10_000; i++) {
            Instant posted = Instant.parse("2025-03-01T06:00:00Z").plusSeconds(60L * random.nextInt(40 * 24 * 60));
            List<Scan> scans = new ArrayList<>();
            int count = 3 + random.nextInt(STEPS.length - 2);
            for (int s = 0; s < count; s++)
                scans.add(new Scan(posted.plusSeconds(36_000L * (s + 1)).toString(), one(TOWNS, random), STEPS[s]));
            Parcel parcel = new Parcel(String.format("PX%07d", i), place(random), place(random),
                100 + random.nextInt(20_000), posted, scans, count == STEPS.length);
            parcels.add(parcel);
            byId.put(parcel.id(), parcel);
        }
    }

    static String one(String[] list, SplittableRandom random) {
        return list[random.nextInt(list.length)];
    }

    static Place place(SplittableRandom random) {
        return new Place(one(NAMES, random) + " " + one(NAMES, random) + "son", (1 + random.nextInt(200)) + " Mill Street",
            one(TOWNS, random), String.format("%05d", random.nextInt(100_000)));
    }

    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    static Answer json(String text) {
        return new Answer("application/json", text.getBytes(StandardCharsets.UTF_8));
    }

    Answer lookup(int number, String body) {
        Parcel parcel = byId.get(String.format("PX%07d", number % parcels.size()));
        StringBuilder text = new StringBuilder("{\"id\":").append(quoted(parcel.id()));
        text.append(",\"posted\":").append(quoted(DAY.format(parcel.posted()))).append(",\"scans\":[");
        for (Scan scan : parcel.scans())
            text.append(text.charAt(text.length() - 1) == '[' ? "" : ",")
                .append(String.format("{\"at\":%s,\"place\":%s}", quoted(scan.at()), quoted(scan.place())));
        return json(text.append("]}").toString());
    }

    Answer find(int number, String body) {
        int first = number % (parcels.size() - 300);
        String word = NAMES[number % NAMES.length].toLowerCase(Locale.ROOT);
        List<Parcel> found = new ArrayList<>();
        for (Parcel parcel : parcels.subList(first, first + 300))
            if (parcel.to().name().toLowerCase(Locale.ROOT).contains(word)
                || parcel.delivered() && CODE.matcher(parcel.to().code()).find())
                found.add(parcel);
        found.sort(Comparator.comparing(Parcel::posted).thenComparing(Parcel::id));
        StringBuilder text = new StringBuilder("[");
        for (Parcel parcel : found.subList(0, Math.min(20, found.size())))
            text.append(text.length() == 1 ? "" : ",").append(String.format("{\"id\":%s,\"to\":%s,\"posted\":%s}",
                quoted(parcel.id()), quoted(parcel.to().name()), quoted(DAY.format(parcel.posted()))));
        return json(text.append(']').toString());
    }

    Answer board(int number, String body) {
        int first = number % (parcels.size() - 25);
        StringBuilder page = new StringBuilder("<!doctype html><table>");
        for (Parcel parcel : parcels.subList(first, first + 25))
            page.append(String.format("<tr class=\"%s\"><td>%s</td><td>%s</td><td>%.1f kg</td></tr>%n",
                parcel.delivered() ? "done" : "open", parcel.id(), parcel.to().name().replace("&", "&amp;"),
                parcel.grams() / 1000.0));
        return new Answer("text/html", page.append("</table>").toString().getBytes(StandardCharsets.UTF_8));
    }

    Answer quote(int number, String body) throws GeneralSecurityException {
        Mac seal = Mac.getInstance("HmacSHA256");
        seal.init(new SecretKeySpec("not a secret".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        StringBuilder text = new StringBuilder("{\"lines\":[");
        double total = 0.0;
        for (Matcher line = LINE.matcher(body); line.find();) {
            int zone = Math.max(0, Arrays.asList(TOWNS).indexOf(line.group(1))) % 5;
            double kilos = Integer.parseInt(line.group(2)) / 1000.0;
            double price = 2.9 + 0.8 * zone + Math.ceil(2 * Math.max(kilos, Math.pow(side(line) / 100, 3) * 200)) * 0.575;
            total += price;
            seal.update(String.format("%s|%.2f%n", line.group(1), price).getBytes(StandardCharsets.UTF_8));
            text.append(String.format("{\"town\":%s,\"price\":\"%.2f EUR\"},", quoted(line.group(1)), price));
        }
        return json(text.append(String.format("{}],\"total\":%.2f,\"seal\":\"%s\"}", total,
            HexFormat.of().formatHex(seal.doFinal()))).toString());
    }

    static double side(Matcher line) {
        return Double.parseDouble(line.group(3));
    }

    Answer manifest(int number, String body) throws IOException {
        int first = number % (parcels.size() - MANIFEST_ROWS);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream zip = new GZIPOutputStream(packed)) {
            zip.write(manifestText(parcels.subList(first, first + MANIFEST_ROWS)).getBytes(StandardCharsets.UTF_8));
        }
        return new Answer("application/gzip", packed.toByteArray());
    }

    static String manifestText(List<Parcel> rows) {
        StringBuilder text = new StringBuilder();
        for (Parcel p : rows)
            text.append(String.join(";", p.id(), Integer.toString(p.grams()), p.to().code() + " " + p.to().town(), p.to().name()))
                .append('\n');
        return text.toString();
    }

    Answer stats() {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return json(String.format(Locale.ROOT, "{\"requests\": %d, \"cpu_seconds\": %.3f, \"wall_seconds\": %.3f}",
            served.get(), system.getProcessCpuTime() / 1e9, (System.nanoTime() - started) / 1e9));
    }

    /** Return how often request `number` runs the handler of `path`: the factor on average. */
    int times(String path, int number) {
        double part = (number * 2654435761L >>> 8 & 0xFFFF) / 65536.0;
        return path.equals(repeated) ? Math.max(1, (int) (factor + part)) : 1;
    }

    void serve(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath(), query = exchange.getRequestURI().getRawQuery();
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            int number = query == null ? 0 : Integer.parseInt(URLDecoder.decode(query, StandardCharsets.UTF_8).substring(2));
            Answer answer = path.equals("/stats") ? stats() : null;
            for (int i = answer == null ? times(path, number) : 0; i > 0; i--)
                answer = routes.get(path).answer(number, body);
            served.addAndGet(path.equals("/stats") ? 0 : 1);
            exchange.getResponseHeaders().set("Content-Type", answer.kind());
            exchange.sendResponseHeaders(200, answer.body().length);
            exchange.getResponseBody().write(answer.body());
        } catch (GeneralSecurityException error) {
            throw new IOException(error);
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 2 || args.length > 3) {
            System.err.println("usage: java Depot ADDRESS-FILE LIFETIME-SECONDS [HANDLER=FACTOR]");
            System.exit(2);
        }
        Depot depot = new Depot(args.length == 3 ? args[2] : "");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 128);
        server.createContext("/", depot::serve);
        server.setExecutor(Executors.newFixedThreadPool(2));
        server.start();
        Path made = Path.of(args[0] + ".new");
        Files.writeString(made, "127.0.0.1:" + server.getAddress().getPort());
        Files.move(made, Path.of(args[0]), StandardCopyOption.ATOMIC_MOVE);
        Thread.sleep((long) (1000 * Double.parseDouble(args[1])));
        System.exit(0);
    }
}
